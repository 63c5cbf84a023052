import type { DecisionContent, RoundManifest, ShardOutcome } from '#schemas/domain';
import type { ErrorCode } from '#schemas/errors';

/**
 * The decision of a round whose plans can't be decided on: nobody gets an order, and what was solved counts as
 * failed, with DEADLINE_EXCEEDED as late: there was no time left to look at it. Looks at neither points nor plans, so
 * that nothing in them can stop it, and takes no longer than writing it down.
 */
export function decideNothing(
  manifest: RoundManifest,
  outcomes: ReadonlyMap<number, ShardOutcome>,
  closedBy: 'complete' | 'deadline',
  options: { readonly stale: boolean; readonly errorCode: ErrorCode },
): DecisionContent {
  const { round, models, shardCandidateCounts } = manifest;
  const held = new Set(round.couriers.flatMap((courier) => courier.held.map(({ orderId }) => orderId)));
  const cancelled = new Set(round.cancelledOrderIds);
  const lost =
    options.errorCode === 'DEADLINE_EXCEEDED' ? ('shard_late' as const) : ('shard_failed' as const);
  const reason = options.stale ? ('stale' as const) : lost;
  const open = round.orders.filter(({ orderId }) => !held.has(orderId));
  return {
    assignments: [],
    moves: [],
    unassigned: open.map(({ orderId }) => ({
      orderId,
      reason: cancelled.has(orderId) ? ('cancelled' as const) : reason,
    })),
    shards: shardCandidateCounts.map((_, index) => useOf(index, outcomes.get(index), options.errorCode)),
    candidatesTotal: shardCandidateCounts.reduce((sum, count) => sum + count, 0),
    candidatesArrived: 0,
    coverage: 0,
    closedBy,
    assignmentGap: 0n,
    models,
  };
}

function useOf(
  index: number,
  outcome: ShardOutcome | undefined,
  errorCode: ErrorCode,
): DecisionContent['shards'][number] {
  const shardIndex = index as DecisionContent['shards'][number]['shardIndex'];
  if (outcome === undefined) return { shardIndex, status: 'missing', errorCode: null };
  if (outcome.status === 'solved') {
    return { shardIndex, status: errorCode === 'DEADLINE_EXCEEDED' ? 'late' : 'failed', errorCode };
  }
  return { shardIndex, status: outcome.status, errorCode: outcome.errorCode };
}
