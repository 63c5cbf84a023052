import type { TravelMatrices } from '#lib/travel-matrices';
import { decideNothing } from '#policy/join/decide-nothing';
import type { Packer } from '#policy/assignment/set-packing';
import { decideRound, workBudgetOf } from '#policy/join/decide-round';
import type { Effort } from '#policy/join/decision-effort';
import type { OutcomeReader } from '#policy/join/outcome-reader';
import type { RoundIndex } from '#policy/join/round-index';
import type { TravelMatrix } from '#policy/routing/index';
import { decisionsCodec } from '#schemas/codec';
import type { DecisionContent, RoundManifest, ShardOutcome } from '#schemas/domain';
import type { ErrorCode } from '#schemas/errors';
import { decisionRecord } from '#policy/join/decision-record';

/** What a decision is made from besides the matrices. */
export interface DecideJob {
  readonly manifest: RoundManifest;
  readonly outcomes: ReadonlyMap<number, ShardOutcome>;
  readonly closedBy: 'complete' | 'deadline';
  readonly stale: boolean;
  /** Of the manifest's round, where it was made before. */
  readonly index?: RoundIndex;
  /** Of the manifest, where it has read some of the outcomes before. */
  readonly reader?: OutcomeReader;
  /** Full where absent. */
  readonly effort?: Exclude<Effort, 'none'>;
}

/** What makes decisions besides the round. */
export interface DecidingMeans {
  readonly matrices: TravelMatrices;
  readonly packer?: Packer;
}

export interface EncodedDecision {
  readonly content: DecisionContent;
  readonly bytes: Buffer;
}

const noBytes = new Uint8Array(0);

/**
 * A round is decided even where its plans, or then its points, can't be used: each way that throws is told
 * of, and the next one looks at less.
 */
export function decideAndEncode(
  job: DecideJob,
  means: DecidingMeans,
  onThrown: (error: unknown) => void,
): EncodedDecision {
  const { matrices } = means;
  const ways = [
    () => decideJob(job, means),
    // The addon may have thrown; the policy's own code gives the same without it.
    ...(means.packer === undefined ? [] : [() => decideJob(job, { matrices })]),
    () => decideWithoutPlans(job, 'INTERNAL'),
  ];
  for (const decide of ways) {
    try {
      return encoded(job, decide());
    } catch (error) {
      onThrown(error);
    }
  }
  return encodeNothing(job);
}

/** The last resort: looks at neither points nor plans. */
export function encodeNothing(job: DecideJob, errorCode: ErrorCode = 'INTERNAL'): EncodedDecision {
  const { manifest, outcomes, closedBy, stale } = job;
  return encoded(job, decideNothing(manifest, outcomes, closedBy, { stale, errorCode }));
}

function encoded({ manifest }: DecideJob, content: DecisionContent): EncodedDecision {
  return { content, bytes: decisionsCodec.encode(decisionRecord(manifest.round, content)) };
}

/** A round whose travel matrix isn't here can't use its plans: they count as failed. */
export function decideJob(job: DecideJob, { matrices, packer }: DecidingMeans): DecisionContent {
  const { manifest, outcomes, closedBy } = job;
  const workBudget = workBudgetOf(manifest.shardCandidateCounts, job.effort);
  const options = {
    stale: job.stale,
    workBudget,
    ...(job.index && { index: job.index }),
    ...(job.reader && { reader: job.reader }),
    ...(packer && { packer }),
  };
  const { travel } = manifest.round.policy;
  if (travel.kind === 'speed') return decideRound(manifest, outcomes, closedBy, options);
  const matrix = matrixOf(matrices, travel.contentHash);
  if (matrix !== undefined) return decideRound(manifest, outcomes, closedBy, { ...options, matrix });
  return decideWithoutPlans(job, 'TRAVEL_MATRIX_UNKNOWN');
}

/** Solved shards count as failed with this code. */
function decideWithoutPlans({ manifest, outcomes, closedBy, stale }: DecideJob, errorCode: ErrorCode) {
  const failed = [...outcomes].map(([index, outcome]) => [index, withoutPlans(outcome, errorCode)] as const);
  return decideRound(manifest, new Map(failed), closedBy, { stale });
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
