import { setTimeout as sleep } from 'node:timers/promises';
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

/** Clocks of broker and process may differ by so much. */
const SKEW_MS = 5_000;
const READ_AGAIN_MS = 500;
/** A read that brings nothing for so long has failed. */
const STALL_TIMEOUT_MS = 10_000;

/**
 * Puts the rounds in memory back into a Redis that has lost its memory, with their outcomes or their claimed
 * decision. A round's first record on dispatch.decisions is its decision, so those since the oldest of them
 * are read first; that is little, and the first close need not wait for more.
 */
export async function rebuildJoin(parts: RebuildParts): Promise<void> {
  const begin = performance.now();
  const rounds = parts.book.all();
  if (rounds.length === 0) return;
  const since = Math.min(...rounds.map(({ parts: { meta } }) => meta.acceptedAt)) - SKEW_MS;
  const decided = await markDecided(parts, since);
  const open = parts.book.all().filter((round) => !decided.has(round.key));
  for (const round of open) {
    await parts.store.putBack(round.toStore(), round.outcomeBytes(), round.decision);
    parts.scheduleBackup(round.key, round.parts.closeAt);
  }
  const seconds = (performance.now() - begin) / 1_000;
  parts.events.JoinRebuilt({ decisions: decided.size, openRounds: open.length, seconds });
}

/** Marks all that was decided within the horizon, so that no round that is delivered again is decided again. */
export async function recallDecisions(parts: RebuildParts): Promise<void> {
  const begin = performance.now();
  const decided = await markDecided(parts, Date.now() - parts.horizonMs);
  parts.events.DecisionsRecalled({ decisions: decided.size, seconds: (performance.now() - begin) / 1_000 });
}

/** Reads until it succeeds: nothing can be decided safely before. */
async function markDecided(parts: RebuildParts, since: number): Promise<ReadonlyMap<string, DecidedRound>> {
  for (;;) {
    try {
      const decided = await readDecisions(parts, since);
      for (const [key, decision] of decided) await parts.store.markPublished(key, decision);
      return decided;
    } catch (error) {
      parts.events.RebuildDelayed({ reason: String(error) });
      await sleep(READ_AGAIN_MS);
    }
  }
}

type DecidedRound = Pick<Decision, 'tenantId' | 'runId' | 'zoneId' | 'sequence'>;

async function readDecisions(
  { bus, topics }: RebuildParts,
  since: number,
): Promise<Map<string, DecidedRound>> {
  const decided = new Map<string, DecidedRound>();
  await bus.readRange({
    topic: topics.decisions,
    from: { timestamp: since as UnixMs },
    stallTimeoutMs: STALL_TIMEOUT_MS,
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
