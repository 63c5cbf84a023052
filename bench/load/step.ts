import { decisionMs, type RoundTrace } from '../pipeline/decision-log';
import { percentile, round } from '../pipeline/statistics';
import { lateRoundOf, type LateRound } from './late-round';

/** What processors did in the seconds of a step. */
export interface Usage {
  readonly cores: number;
  /** Of all processors of the machine, busy. */
  readonly machineCores: number;
  /** Cores' worth by process; `load` is the bench itself. */
  readonly byProcess: Readonly<Record<string, number>>;
}

export interface Step {
  readonly roundsPerSecond: number;
  /** Really submitted, a second. */
  readonly submittedPerSecond: number;
  readonly rounds: number;
  readonly refused: number;
  readonly undecided: number;
  readonly late: number;
  /** Of them, whose manifest came to Kafka with less than the aggregator's margin left (150 ms). */
  readonly lateByIngest: number;
  /** What the late ones had left then: the median, ms. Null, as every time here, where there is no such round. */
  readonly lateLeadMsP50: number | null;
  readonly lateByMsP50: number | null;
  /** What the decided rounds had left when their decision was on Kafka, ms: the least, and what all but 1% had; below 0 is late. */
  readonly leftMsLeast: number | null;
  readonly leftMsP1: number | null;
  /** The way of the first late ones. */
  readonly lateRounds: readonly LateRound[];
  readonly coverageMean: number;
  /** Share of the accepted rounds that were decided with all of their plans. */
  readonly wholeShare: number;
  readonly closedByDeadline: number;
  readonly inHaste: number;
  readonly decisionMsP50: number | null;
  readonly decisionMsP99: number | null;
  readonly candidatesPerSecond: number;
  readonly usage: Usage;
}

/** ROUNDHOUSE_AGGREGATOR_CLOSE_MARGIN_MS. */
const closeMarginMs = 150;

const mostLateRounds = 20;

const msAt = (times: readonly number[], share: number): number | null =>
  times.length === 0 ? null : round(percentile(times, share));

export function stepOf(
  roundsPerSecond: number,
  seconds: number,
  traces: readonly RoundTrace[],
  usage: Usage,
): Step {
  const accepted = traces.filter(({ refusal }) => refusal === null);
  const decided = accepted.filter(({ decidedAt }) => decidedAt !== null);
  const count = (holds: (trace: RoundTrace) => boolean): number => decided.filter(holds).length;
  const sum = (of: (trace: RoundTrace) => number): number =>
    decided.reduce((total, one) => total + of(one), 0);
  const times = decided.map(decisionMs);
  const late = decided.filter(({ decidedAt, deadline }) => decidedAt! > deadline);
  const lefts = decided.map(({ decidedAt, deadline }) => deadline - decidedAt!);
  const leads = late.map(({ manifestAt, deadline }) => deadline - manifestAt);
  return {
    roundsPerSecond: round(roundsPerSecond, 2),
    submittedPerSecond: round(traces.length / seconds, 2),
    rounds: traces.length,
    refused: traces.length - accepted.length,
    undecided: accepted.length - decided.length,
    late: late.length,
    lateByIngest: leads.filter((lead) => lead < closeMarginMs).length,
    lateLeadMsP50: msAt(leads, 0.5),
    lateByMsP50: msAt(
      late.map(({ decidedAt, deadline }) => decidedAt! - deadline),
      0.5,
    ),
    leftMsLeast: lefts.length === 0 ? null : round(Math.min(...lefts)),
    leftMsP1: msAt(lefts, 0.01),
    lateRounds: late.slice(0, mostLateRounds).map(lateRoundOf),
    coverageMean: round(sum(({ coverage }) => coverage) / Math.max(1, decided.length), 4),
    wholeShare: round(count(({ coverage }) => coverage === 1) / Math.max(1, accepted.length), 4),
    closedByDeadline: count(({ closedBy }) => closedBy === 'deadline'),
    inHaste: count(({ effort }) => effort !== 'full'),
    decisionMsP50: msAt(times, 0.5),
    decisionMsP99: msAt(times, 0.99),
    candidatesPerSecond: Math.round(sum(({ candidatesSolved }) => candidatesSolved) / seconds),
    usage,
  };
}

/** Above this share of rounds decided with all plans, and none refused, a rate is carried. */
const carriedShare = 0.98;

export const isCarried = ({ wholeShare, refused, rounds, late }: Step): boolean =>
  wholeShare >= carriedShare && refused <= 0.01 * rounds && late === 0;

/** So far beyond the first rate that is not carried the sweep goes on. */
const beyond = 2.5;

/** The next rate, or null where the sweep is over. */
export function nextRate(
  steps: readonly Step[],
  {
    rates,
    start,
    growth,
  }: { readonly rates: readonly number[] | null; readonly start: number; readonly growth: number },
): number | null {
  if (rates !== null) return rates[steps.length] ?? null;
  const last = steps.at(-1);
  if (last === undefined) return start;
  const knee = steps.find((step) => !isCarried(step));
  const next = last.roundsPerSecond * growth;
  return knee !== undefined && next > knee.roundsPerSecond * beyond ? null : next;
}

/** Nearly all of a machine's processors, or nearly one whole core of a process whose work is on one thread. */
const machineFull = 0.9;
const threadFull = 0.9;
const oneThread = ['ingest', 'worker', 'aggregator', 'load'];

/** On what a step is saturated, in words. */
export function saturatedOn({ usage: { cores, machineCores, byProcess } }: Step): string {
  const largest = Object.entries(byProcess).sort(([, a], [, b]) => b - a);
  const parts = largest.slice(0, 3).map(([name, used]) => `${name} ${used.toFixed(2)}`);
  if (machineCores >= machineFull * cores) {
    return `the machine's ${cores} cores (${machineCores.toFixed(2)} busy: ${parts.join(', ')})`;
  }
  const thread = largest.find(([name, used]) => oneThread.includes(name) && used >= threadFull);
  if (thread !== undefined) return `the thread of ${thread[0]} (${thread[1].toFixed(2)} cores)`;
  return `no processor (${machineCores.toFixed(2)} of ${cores} cores busy: ${parts.join(', ')})`;
}
