import type { TravelMatrices } from '#lib/travel-matrices';
import { cutRound, type CutLimits } from '#policy/sharding/index';
import type { DispatchRound, ModelRef } from '#schemas/domain';
import type { Topics } from '#schemas/topics';
import { roundMessages, type RoundMessages } from '../publish/round-messages';

/** What a cut needs besides the matrices; it can be sent to another thread. */
export interface CutJob {
  readonly round: DispatchRound;
  readonly models: readonly ModelRef[];
  readonly limits: CutLimits;
  readonly topics: Topics;
  readonly receivedAt: number;
  readonly traceparent: string;
}

export interface CutResult extends RoundMessages {
  /** Candidates by shard. */
  readonly counts: readonly number[];
}

/** A round to what of it goes onto Kafka. Takes up to seconds of computing for a large one. */
export function cutMessages(job: CutJob, matrices: TravelMatrices): CutResult {
  const { round, topics, receivedAt, traceparent } = job;
  const { travel } = round.policy;
  const matrix = travel.kind === 'matrix' ? matrices.find(travel.contentHash) : undefined;
  const cut = cutRound(round, job.models, { ...job.limits, ...(matrix && { matrix }) });
  const messages = roundMessages(cut, topics, receivedAt, traceparent);
  return { ...messages, counts: cut.manifest.shardCandidateCounts };
}
