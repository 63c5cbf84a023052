import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '#lib/bus/kafka';
import { decisionsCodec, outcomesCodec } from '#schemas/codec';
import type { Decision, ShardOutcome } from '#schemas/domain';
import { outageOf } from '#schemas/outage-mark';
import { headers, type Topics } from '#schemas/topics';
import type { SentRound } from './sender';

export interface Published {
  readonly decision: Decision;
  readonly appendedAt: number;
  readonly outage: string | undefined;
  readonly closedAt: number;
}

export interface PublishedOutcome {
  readonly outcome: ShardOutcome;
  readonly appendedAt: number;
  /** Unix ms; NaN where no backend began with it. */
  readonly startedAt: number;
}

/** All records of decisions of a run, by round, in their order. */
export async function readDecisions(
  bus: Bus,
  topics: Topics,
  runId: string,
): Promise<Map<string, Published[]>> {
  const found = new Map<string, Published[]>();
  await bus.readRange({
    topic: topics.decisions,
    from: 'earliest',
    handle: ({ value, headers: sent, timestamp: appendedAt }) => {
      if (value === null) return;
      const decision = decisionsCodec.decode(value);
      if (decision.runId !== runId) return;
      const outage = outageOf({ headers: sent, appendedAt, deadline: decision.deadline });
      const published = { decision, appendedAt, outage, closedAt: Number(sent[headers.closedAt]) };
      found.set(decision.roundId, [...(found.get(decision.roundId) ?? []), published]);
    },
  });
  return found;
}

/** All records of outcomes of a run. */
export async function readOutcomes(bus: Bus, topics: Topics, runId: string): Promise<PublishedOutcome[]> {
  const found: PublishedOutcome[] = [];
  await bus.readRange({
    topic: topics.outcomes,
    from: 'earliest',
    handle: ({ value, headers: sent, timestamp: appendedAt }) => {
      if (value === null) return;
      const outcome = outcomesCodec.decode(value);
      if (outcome.runId !== runId) return;
      const started = Number((sent[headers.backendInterval] ?? '').split('-')[0] || NaN);
      found.push({ outcome, appendedAt, startedAt: started / 1e6 });
    },
  });
  return found;
}

/** Outcomes of a run beyond one a shard: also of a shard that was sent to two engines there is one. */
export async function outcomesTwice(
  { bus, topics }: { readonly bus: Bus; readonly topics: Topics },
  runId: string,
): Promise<number> {
  const outcomes = await readOutcomes(bus, topics, runId);
  const shards = new Set(outcomes.map(({ outcome: { roundId, shardIndex } }) => `${roundId} ${shardIndex}`));
  return outcomes.length - shards.size;
}

/** Reads again until every accepted round has a decision, or the time is up: what is lacking then is lost. */
export async function allDecided(
  { bus, topics }: { readonly bus: Bus; readonly topics: Topics },
  runId: string,
  accepted: readonly SentRound[],
  patienceMs = 60_000,
): Promise<Map<string, Published[]>> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const found = await readDecisions(bus, topics, runId);
    if (accepted.every(({ roundId }) => found.has(roundId)) || Date.now() > giveUpAt) return found;
    await sleep(500);
  }
}
