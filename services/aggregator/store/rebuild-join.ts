import type { Bus } from '#lib/bus/kafka';
import type { UnixMs } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import type { Decision } from '#schemas/domain';
import { roundKey, type Topics } from '#schemas/topics';
import type { AggregatorEvents } from '../events';
import type { RoundBook } from '../join/round-book';
import type { JoinStore } from './join-store';

export interface RebuildParts {
  readonly bus: Pick<Bus, 'readRange'>;
  readonly topics: Topics;
  readonly store: JoinStore;
  readonly book: RoundBook;
  readonly events: AggregatorEvents;
  /** How far back decisions are read: rounds accepted before are forgotten. */
  readonly horizonMs: number;
  scheduleBackup(roundKey: string, at: number): void;
}

/**
 * Fills a Redis that has lost its memory: dispatch.decisions first (a round's first record there is its
 * decision), then the rounds in memory with the outcomes that came so far.
 */
export async function rebuildJoin(parts: RebuildParts): Promise<void> {
  const begin = performance.now();
  const decided = await readDecisions(parts);
  for (const [key, decision] of decided) await parts.store.markPublished(key, decision);
  const open = parts.book.all().filter((round) => !decided.has(round.key));
  for (const round of open) {
    await parts.store.putBack(round.toStore(), round.outcomeBytes());
    parts.scheduleBackup(round.key, round.parts.closeAt);
  }
  const seconds = (performance.now() - begin) / 1_000;
  parts.events.JoinRebuilt({ decisions: decided.size, openRounds: open.length, seconds });
}

type DecidedRound = Pick<Decision, 'tenantId' | 'runId' | 'zoneId' | 'sequence'>;

async function readDecisions({ bus, topics, horizonMs }: RebuildParts): Promise<Map<string, DecidedRound>> {
  const decided = new Map<string, DecidedRound>();
  await bus.readRange({
    topic: topics.decisions,
    from: { timestamp: (Date.now() - horizonMs) as UnixMs },
    handle: ({ value }) => {
      const decision = value === null ? null : readDecision(value);
      if (decision === null) return;
      const key = roundKey(decision);
      const { tenantId, runId, zoneId, sequence } = decision;
      if (!decided.has(key)) decided.set(key, { tenantId, runId, zoneId, sequence });
    },
  });
  return decided;
}

function readDecision(value: Buffer): Decision | null {
  try {
    return decisionsCodec.decode(value);
  } catch {
    return null;
  }
}
