import { efforts, type Effort } from '#policy/join/decision-effort';
import type { RunId, UnixMs } from '#schemas/brands';
import type { DispatchRound, RoundManifest, ShardUse } from '#schemas/domain';
import { headers } from '#schemas/topics';
import type { RecordedRound } from '../recording/recorded-round';

/** How a round is closed in a replay: with what had arrived then, or with every shard's outcome. */
export interface Arrivals {
  /** By shard index: `solved` is solved again, `failed` and `late` are as they were, `missing` never comes. */
  readonly shards: readonly ShardUse[];
  readonly closedBy: 'complete' | 'deadline';
  /** A newer round of the zone had been decided. */
  readonly stale: boolean;
  /** What the aggregator had time for. */
  readonly effort: Effort;
}

/** The round under the replay's own run id; nothing else of it changes but its deadline. */
export function replayedRound(round: DispatchRound, runId: RunId, deadline: UnixMs): DispatchRound {
  return { ...round, runId, deadline };
}

/**
 * The run ids of a replay: the given one for the first run of the recording, with a number behind it for others, so that
 * their rounds and sequences stay apart as they were.
 */
export class RunIds {
  private readonly known = new Map<RunId, RunId>();

  constructor(private readonly first: RunId) {}

  of(recorded: RunId): RunId {
    const known = this.known.get(recorded);
    if (known !== undefined) return known;
    const number = this.known.size + 1;
    const own = (number === 1 ? this.first : `${this.first}-${number}`) as RunId;
    this.known.set(recorded, own);
    return own;
  }
}

const solvedAll = (shardCount: number): ShardUse[] =>
  Array.from({ length: shardCount }, (_, index) => ({
    shardIndex: index as ShardUse['shardIndex'],
    status: 'solved',
    errorCode: null,
  }));

export function allArrive(shardCount: number): Arrivals {
  return { shards: solvedAll(shardCount), closedBy: 'complete', stale: false, effort: 'full' };
}

/** What the recorded decision says of its shards; null for a round without one. */
export function recordedArrivals({ manifest, decision }: RecordedRound): Arrivals | null {
  if (decision === null) return null;
  const { shards, closedBy, unassigned, assignments } = decision.decision.content;
  if (shards.length !== manifest.shardCount) return null;
  const saysStale = unassigned.some(({ reason }) => reason === 'stale');
  // A round without open orders has no reasons; then only held plans that nobody planned again tell.
  const holds = manifest.round.couriers.some(({ held }) => held.length > 0);
  const plansNothing = holds && assignments.length === 0 && unassigned.length === 0;
  const stale = saysStale || (plansNothing && shards.some(({ status }) => status === 'solved'));
  const said = decision.headers.find(({ name }) => name === headers.effort)?.value;
  return { shards, closedBy, stale, effort: efforts.find((effort) => effort === said) ?? 'full' };
}

/** Are the rounds cut alike: the same shards with the same orders and as many candidates? */
export function isCutAlike(a: RoundManifest, b: RoundManifest): boolean {
  return (
    a.shardCount === b.shardCount &&
    a.shardCandidateCounts.every((count, index) => count === b.shardCandidateCounts[index]) &&
    a.shardOrders.every((bitmap, index) => Buffer.compare(bitmap, b.shardOrders[index]!) === 0)
  );
}
