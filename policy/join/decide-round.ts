import type { DecisionContent, RoundManifest, ShardOutcome } from '#schemas/domain';
import { prepositioningMoves } from '../prepositioning/prepositioning-moves';
import type { TravelMatrix } from '../routing/index';
import { gatherArrivals, type Arrivals } from './arrivals';
import type { Packer } from '../assignment/set-packing';
import { choosePlans, type Choice } from './choose-plans';
import type { Effort } from './decision-effort';
import { OutcomeReader } from './outcome-reader';
import { PlanWalker, type Planned } from './planned-assignment';
import { roundIndex, type RoundIndex } from './round-index';
import { reasonOf } from './unassigned-reasons';

interface DecideOptions {
  /** A newer round of the zone was decided first: nothing is assigned. */
  readonly stale?: boolean;
  /** Shards that are on dispatch.dead-letters. */
  readonly deadLetters?: ReadonlySet<number>;
  /** The round's travel matrix, where it names one (TRAVEL_MATRIX_UNKNOWN without it). */
  readonly matrix?: TravelMatrix;
  /** That of the manifest's round, where it was made before. */
  readonly index?: RoundIndex;
  /** Of the manifest, where it has read outcomes before. */
  readonly reader?: OutcomeReader;
  /** Bounds the work on overlapping bundles; see `assign`. */
  readonly workBudget?: number;
  /** Asked in place of the policy's own code for many overlapping bundles; equal results. */
  readonly packer?: Packer;
}

/**
 * Limits on overlapping bundles unless the caller says otherwise: about 10 ms for 2,000 candidates. The ceiling
 * is about 120 ms: so long rounds of other zones that are due wait for this one.
 */
const WORK_FIXED = 800_000;
const WORK_PER_CANDIDATE = 700;
const MOST_WORK = 15_000_000;
/** With reduced effort, in place of `WORK_PER_CANDIDATE`. */
const REDUCED_WORK_PER_CANDIDATE = 12;
const CLOSE_ENOUGH = 0.002;
const noShards: ReadonlySet<number> = new Set();

/**
 * The decision of a round from what arrived until its close. Pure and deterministic: equal arguments give
 * equal content. Outcomes that contradict the manifest, or whose chosen plans contradict the walk, count
 * as failed.
 */
export function decideRound(
  manifest: RoundManifest,
  outcomes: ReadonlyMap<number, ShardOutcome>,
  closedBy: 'complete' | 'deadline',
  options: DecideOptions = {},
): DecisionContent {
  const index = options.index ?? roundIndex(manifest.round);
  const reader = options.reader ?? new OutcomeReader(manifest);
  if (options.stale)
    return staleContent(index, manifest, gatherArrivals(manifest, outcomes, noShards, reader), closedBy);
  const contradicted = new Set<number>();
  const workBudget = options.workBudget ?? workBudgetOf(manifest.shardCandidateCounts);
  const limits = { workBudget, closeEnough: CLOSE_ENOUGH, ...(options.packer && { packer: options.packer }) };
  for (;;) {
    const arrivals = gatherArrivals(manifest, outcomes, contradicted, reader);
    const choice = choosePlans(index, arrivals.plans, limits);
    const walker = new PlanWalker(index, outcomes, reader, options.matrix);
    const planned: Planned[] = [];
    const before = contradicted.size;
    for (const chosen of choice.chosen) {
      const one = walker.plan(chosen);
      if (one === null) contradicted.add(chosen.plan.shardIndex);
      else planned.push(one);
    }
    if (contradicted.size === before) {
      const unassigned = leftOut(index, manifest, arrivals, choice, options.deadLetters ?? noShards);
      const assignments = planned.flatMap((one) => one.assignments);
      const moves = [
        ...planned.flatMap(({ move }) => (move === null ? [] : [move])),
        ...prepositioningMoves(index.round, assignments, options.matrix),
      ];
      return contentOf(manifest, arrivals, closedBy, { assignments, moves, unassigned, gap: choice.gap });
    }
  }
}

/** Visits of a column that the assignment may take. */
export function workBudgetOf(
  shardCandidateCounts: readonly number[],
  effort: Exclude<Effort, 'none'> = 'full',
): number {
  const total = shardCandidateCounts.reduce((sum, count) => sum + count, 0);
  const perCandidate = effort === 'full' ? WORK_PER_CANDIDATE : REDUCED_WORK_PER_CANDIDATE;
  return Math.min(MOST_WORK, WORK_FIXED + perCandidate * total);
}

interface Decided {
  readonly assignments: DecisionContent['assignments'];
  readonly moves: DecisionContent['moves'];
  readonly unassigned: DecisionContent['unassigned'];
  readonly gap: bigint;
}

function contentOf(
  manifest: RoundManifest,
  arrivals: Arrivals,
  closedBy: 'complete' | 'deadline',
  { assignments, moves, unassigned, gap }: Decided,
): DecisionContent {
  const candidatesTotal = manifest.shardCandidateCounts.reduce((sum, count) => sum + count, 0);
  return {
    assignments,
    moves,
    unassigned,
    shards: arrivals.shards,
    candidatesTotal,
    candidatesArrived: arrivals.candidates,
    coverage: candidatesTotal === 0 ? 1 : arrivals.candidates / candidatesTotal,
    closedBy,
    assignmentGap: gap,
    models: manifest.models,
  };
}

/** One reason for every order that nobody holds and nobody got. */
function leftOut(
  index: RoundIndex,
  manifest: RoundManifest,
  arrivals: Arrivals,
  choice: Choice,
  deadLetters: ReadonlySet<number>,
): DecisionContent['unassigned'] {
  const taken = new Set(choice.chosen.flatMap(({ plan }) => plan.orders));
  return index.round.orders.flatMap(({ orderId }, order) => {
    if (taken.has(order) || index.isHeld[order]) return [];
    if (index.isCancelled[order]) return [{ orderId, reason: 'cancelled' as const }];
    const hasCandidate = choice.hasCandidate[order] === 1;
    return [{ orderId, reason: reasonOf(order, manifest, arrivals.shards, deadLetters, hasCandidate) }];
  });
}

function staleContent(
  index: RoundIndex,
  manifest: RoundManifest,
  arrivals: Arrivals,
  closedBy: 'complete' | 'deadline',
): DecisionContent {
  const unassigned = index.round.orders.flatMap(({ orderId }, order) => {
    if (index.isHeld[order]) return [];
    return [{ orderId, reason: index.isCancelled[order] ? ('cancelled' as const) : ('stale' as const) }];
  });
  return contentOf(manifest, arrivals, closedBy, { assignments: [], moves: [], unassigned, gap: 0n });
}
