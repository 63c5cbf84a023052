import type { TravelMatrices } from '#lib/travel-matrices';
import { decideRound } from '#policy/join/decide-round';
import type { TravelMatrix } from '#policy/routing/index';
import type { DecisionContent, ShardOutcome } from '#schemas/domain';
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
  const failed = new Map([...outcomes].map(([index, outcome]) => [index, withoutMatrix(outcome)]));
  return decideRound(manifest, failed, closedBy, { stale });
}

function matrixOf(matrices: TravelMatrices, contentHash: string): TravelMatrix | undefined {
  try {
    return matrices.find(contentHash);
  } catch {
    return undefined;
  }
}

function withoutMatrix(outcome: ShardOutcome): ShardOutcome {
  if (outcome.status !== 'solved') return outcome;
  const bytes = { plans: noBytes, orderTimes: noBytes, rideFactors: noBytes };
  return { ...outcome, ...bytes, status: 'failed', errorCode: 'TRAVEL_MATRIX_UNKNOWN' };
}
