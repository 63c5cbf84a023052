import type { TravelMatrices } from '#lib/travel-matrices';
import { decideNothing } from '#policy/join/decide-nothing';
import { decideRound } from '#policy/join/decide-round';
import type { TravelMatrix } from '#policy/routing/index';
import { decisionsCodec } from '#schemas/codec';
import type { DecisionContent, ShardOutcome } from '#schemas/domain';
import type { ErrorCode } from '#schemas/errors';
import { decisionRecord } from '../publish/decision-record';
import type { OpenRound } from './open-round';

const noBytes = new Uint8Array(0);

export interface EncodedDecision {
  readonly content: DecisionContent;
  readonly bytes: Buffer;
}

/**
 * A round is decided even where its plans, or then its points, can't be used: each way that throws is told
 * of, and the next one looks at less.
 */
export function decideAndEncode(
  open: OpenRound,
  matrices: TravelMatrices,
  stale: boolean,
  onThrown: (error: unknown) => void,
): EncodedDecision {
  const ways = [
    () => decideOpenRound(open, matrices, stale),
    () => decideWithoutPlans(open, 'INTERNAL', stale),
  ];
  for (const decide of ways) {
    try {
      return encoded(open, decide());
    } catch (error) {
      onThrown(error);
    }
  }
  const closedBy = open.isComplete() ? 'complete' : 'deadline';
  const options = { stale, errorCode: 'INTERNAL' };
  return encoded(open, decideNothing(open.parts.manifest, open.outcomes(), closedBy, options));
}

function encoded({ round }: OpenRound, content: DecisionContent): EncodedDecision {
  return { content, bytes: decisionsCodec.encode(decisionRecord(round, content)) };
}

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
function decideWithoutPlans(open: OpenRound, errorCode: ErrorCode, stale: boolean): DecisionContent {
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
