import { decisionMs, engineMs, type RoundTrace } from './decision-log';
import type { PipelineBenchOptions } from './options';
import { phaseTable } from './phases';
import type { LoopLag } from './probes';
import type { MemorySeries } from './process-usage';
import type { SearchResult } from './search';
import { percentile, round } from './statistics';

export interface Measured {
  readonly options: PipelineBenchOptions;
  readonly traces: readonly RoundTrace[];
  readonly duplicateDecisions: number;
  /** Null where the bare chain was left out. */
  readonly bareChainMs: readonly number[] | null;
  /** Of the measured part, by process. */
  readonly cpuSeconds: ReadonlyMap<string, number>;
  readonly loopLags: Readonly<Record<string, LoopLag>>;
  readonly shardBytesPerCandidate: number;
  readonly memory: MemorySeries;
  /** Growth is counted from here: minute 3 of the measured part, or its middle where it is too short for that. */
  readonly growthSinceMs: number;
  readonly eventLoopSpinMs: number;
  readonly roundShape: { readonly couriers: number; readonly orders: number; readonly bodyBytes: number };
  readonly search: SearchResult | null;
}

const rounded = (values: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, round(value)]));

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function bareChain(bareChainMs: readonly number[] | null): Record<string, unknown> {
  if (bareChainMs === null) return {};
  return {
    bareChainMsP50: round(percentile(bareChainMs, 0.5)),
    bareChainMsP99: round(percentile(bareChainMs, 0.99)),
  };
}

function lagsOf(lags: Measured['loopLags']): Record<string, unknown> {
  const entries = Object.entries(lags).map(([name, { p99Ms, maxMs }]) => [
    name,
    { p99: round(p99Ms), max: round(maxMs) },
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** A round without a decision is later than any other: JSON has null for a percentile that falls on one. */
const decisionMsOrNever = (trace: RoundTrace): number =>
  trace.decidedAt === null ? Infinity : decisionMs(trace);

/** Decided after its deadline, or never. */
const isLate = (trace: RoundTrace): boolean => (trace.decidedAt ?? Infinity) > trace.deadline;

/** What gates the benchmark: every round that was measured has a decision, and there were some. */
export function lacking({ traces }: Pick<Measured, 'traces'>): string | null {
  const undecided = traces.filter((trace) => trace.decidedAt === null).length;
  if (traces.length === 0) return 'no round was measured';
  return undecided === 0 ? null : `${undecided} of ${traces.length} rounds have no decision`;
}

function latencies(all: readonly RoundTrace[], complete: readonly RoundTrace[]): Record<string, unknown> {
  const overhead = complete.map((trace) => decisionMs(trace) - engineMs(trace));
  const decisions = all.map(decisionMsOrNever);
  return {
    decisionMsP50: round(percentile(decisions, 0.5)),
    decisionMsP99: round(percentile(decisions, 0.99)),
    decisionMsMax: round(percentile(decisions, 1)),
    engineMsP50: round(percentile(complete.map(engineMs), 0.5)),
    engineMsP99: round(percentile(complete.map(engineMs), 0.99)),
    overheadMsP50: round(percentile(overhead, 0.5)),
    overheadMsP99: round(percentile(overhead, 0.99)),
  };
}

/** The one JSON line of the benchmark. Overhead and phases are of complete rounds. */
export function report(measured: Measured): Record<string, unknown> {
  const { options, traces, cpuSeconds } = measured;
  const decided = traces.filter((trace) => trace.decidedAt !== null);
  const complete = decided.filter((trace) => trace.closedBy === 'complete' && engineMs(trace) > 0);
  const candidates = traces.reduce((sum, trace) => sum + trace.candidatesSolved, 0);
  const cpu = [...cpuSeconds].map(([name, seconds]): [string, number] => [
    name,
    (seconds * 1e3) / traces.length,
  ]);
  return {
    rounds: traces.length,
    refused: traces.filter((trace) => trace.refusal !== null).length,
    decided: decided.length,
    closedByDeadline: decided.filter((trace) => trace.closedBy === 'deadline').length,
    undecided: traces.length - decided.length,
    lateDecisions: traces.filter(isLate).length,
    decisionsInHaste: {
      reduced: decided.filter(({ effort }) => effort === 'reduced').length,
      none: decided.filter(({ effort }) => effort === 'none').length,
    },
    duplicateDecisions: measured.duplicateDecisions,
    coverageMean: round(mean(decided.map((trace) => trace.coverage)), 4),
    ...latencies(traces, complete),
    phasesMs: phaseTable(complete),
    ...bareChain(measured.bareChainMs),
    eventLoopSpinMs: round(measured.eventLoopSpinMs, 2),
    eventLoopLagMs: lagsOf(measured.loopLags),
    supervisorCpuUsPerCandidate: round(((cpuSeconds.get('worker') ?? NaN) * 1e6) / candidates, 2),
    cpuMsPerRound: rounded(Object.fromEntries(cpu)),
    shardBytesPerCandidate: round(measured.shardBytesPerCandidate),
    candidatesPerRound: round(mean(complete.map((trace) => trace.candidatesSolved))),
    assignmentsPerRound: round(mean(complete.map((trace) => trace.assignments))),
    ...measured.roundShape,
    shards: Math.max(0, ...complete.map((trace) => trace.shards.size)),
    deadlineMs: options.deadlineMs,
    roundsPerSecond: options.roundsPerSecond,
    roundsTogether: options.together,
    rssMb: rounded(measured.memory.last()),
    rssGrowthMb: rounded(measured.memory.growth(measured.growthSinceMs)),
    ...(measured.search === null
      ? {}
      : { largestRoundInTime: measured.search.largest, probes: measured.search.probes }),
  };
}
