import type { TravelMatrices } from '#lib/travel-matrices';
import {
  candidateTable,
  planningView,
  type CandidateTable,
  type PlanningView,
} from '#policy/candidates/index';
import { cutCandidates, type CutLimits, type CutRound } from '#policy/sharding/index';
import type { DispatchRound, ModelRef, RoundPolicy } from '#schemas/domain';
import { PhaseClock, type Phases } from '#schemas/phases';
import type { Topics } from '#schemas/topics';
import { roundMessages, type RoundMessages, type TraceHeaders } from '../publish/round-messages';

/** What a cut needs besides the round and the matrices; it can be sent to another thread. */
export interface CutJob extends TraceHeaders {
  /** The round's, known since its claim. */
  readonly sequence: bigint;
  readonly modelLabel: RoundPolicy['modelLabel'];
  readonly models: readonly ModelRef[];
  readonly limits: CutLimits;
  readonly topics: Topics;
  readonly receivedAt: number;
}

export interface CutResult extends RoundMessages {
  /** Candidates by shard. */
  readonly counts: readonly number[];
  readonly phases: Phases;
}

/** A round to what of it goes onto Kafka. Takes up to seconds of computing for a large one. */
export function cutMessages(submitted: DispatchRound, job: CutJob, matrices: TravelMatrices): CutResult {
  const clock = new PhaseClock();
  const view = viewOf(asClaimed(submitted, job), matrices);
  return messagesOf(view, candidateTable(view, job.limits.maxCandidates), job, clock);
}

/** With what its claim gave it. */
export function asClaimed(submitted: DispatchRound, { sequence, modelLabel }: CutJob): DispatchRound {
  return { ...submitted, sequence, policy: { ...submitted.policy, modelLabel } };
}

export function viewOf(round: DispatchRound, matrices: TravelMatrices): PlanningView {
  const { travel } = round.policy;
  return planningView(round, travel.kind === 'matrix' ? matrices.find(travel.contentHash) : undefined);
}

/** `clock` has run since the candidates were begun. */
export function messagesOf(
  view: PlanningView,
  table: CandidateTable,
  job: CutJob,
  clock: PhaseClock,
): CutResult {
  clock.ends('candidates');
  const cut = cutCandidates(view, table, job.models, job.limits);
  clock.ends('cut');
  return encodedMessages(cut, job, clock);
}

/** `clock` has timed the cut. */
export function encodedMessages(cut: CutRound, job: CutJob, clock: PhaseClock): CutResult {
  const messages = roundMessages(cut, job.topics, job.receivedAt, job);
  clock.ends('encode');
  return { ...messages, counts: cut.manifest.shardCandidateCounts, phases: clock.phases };
}
