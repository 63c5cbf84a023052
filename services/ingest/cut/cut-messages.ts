import type { TravelMatrices } from '#lib/travel-matrices';
import { candidateTable, planningView } from '#policy/candidates/index';
import { cutCandidates, type CutLimits } from '#policy/sharding/index';
import type { DispatchRound, ModelRef, RoundPolicy } from '#schemas/domain';
import { PhaseClock, type Phases } from '#schemas/phases';
import type { Topics } from '#schemas/topics';
import { roundMessages, type RoundMessages } from '../publish/round-messages';

/** What a cut needs besides the round and the matrices; it can be sent to another thread. */
export interface CutJob {
  /** The round's, known since its claim. */
  readonly sequence: bigint;
  readonly modelLabel: RoundPolicy['modelLabel'];
  readonly models: readonly ModelRef[];
  readonly limits: CutLimits;
  readonly topics: Topics;
  readonly receivedAt: number;
  readonly traceparent: string;
}

export interface CutResult extends RoundMessages {
  /** Candidates by shard. */
  readonly counts: readonly number[];
  readonly phases: Phases;
}

/** A round to what of it goes onto Kafka. Takes up to seconds of computing for a large one. */
export function cutMessages(submitted: DispatchRound, job: CutJob, matrices: TravelMatrices): CutResult {
  const clock = new PhaseClock();
  const { sequence, modelLabel, models, limits, topics, receivedAt, traceparent } = job;
  const round = { ...submitted, sequence, policy: { ...submitted.policy, modelLabel } };
  const { travel } = round.policy;
  const matrix = travel.kind === 'matrix' ? matrices.find(travel.contentHash) : undefined;
  const view = planningView(round, matrix);
  const table = candidateTable(view, limits.maxCandidates);
  clock.ends('candidates');
  const cut = cutCandidates(view, table, models, limits);
  clock.ends('cut');
  const messages = roundMessages(cut, topics, receivedAt, traceparent);
  clock.ends('encode');
  return { ...messages, counts: cut.manifest.shardCandidateCounts, phases: clock.phases };
}
