import type { TravelMatrices } from '#lib/travel-matrices';
import { decideRound } from '#policy/join/decide-round';
import type { TravelMatrix } from '#policy/routing/index';
import type { DecisionContent, ShardOutcome } from '#schemas/domain';
import type { ErrorCode } from '#schemas/errors';
import type { OpenRound } from './open-round';

const noBytes = new Uint8Array(0);

/** Decides from what is in memory. A round whose travel matrix isn't here can't use its plans: they count as failed. */
export function decideOpenRound(open: OpenRound, matrices: TravelMatrices, stale: boolean): DecisionContent {
  const { manifest } = open.parts;
  const closedBy = open.isComplete() ? 'complete' : 'deadline';
  const outcomes = open.outcomes();
  const { travel } = manifest.round.policy;
  if (travel.kind === 'speed') return decideRound(manifest, outcomes, closedBy, { stale });
  const matrix = matrixOf(matrices, travel.contentHash);
  if (matrix !== undefined) return decideRound(manifest, outcomes, closedBy, { stale, matrix });
  return decideWithoutPlans(open, 'TRAVEL_MATRIX_UNKNOWN', stale);
}

/** Solved shards count as failed with this code. */
export function decideWithoutPlans(open: OpenRound, errorCode: ErrorCode, stale: boolean): DecisionContent {
  const closedBy = open.isComplete() ? 'complete' : 'deadline';
  const failed = [...open.outcomes()].map(
    ([index, outcome]) => [index, withoutPlans(outcome, errorCode)] as const,
  );
  return decideRound(open.parts.manifest, new Map(failed), closedBy, { stale });
}

function matrixOf(matrices: TravelMatrices, contentHash: string): TravelMatrix | undefined {
  try {
    return matrices.find(contentHash);
  } catch {
    return undefined;
  }
}

function withoutPlans(outcome: ShardOutcome, errorCode: ErrorCode): ShardOutcome {
  if (outcome.status !== 'solved') return outcome;
  const bytes = { plans: noBytes, orderTimes: noBytes, rideFactors: noBytes };
  return { ...outcome, ...bytes, status: 'failed', errorCode };
}
