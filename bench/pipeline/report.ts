import { decisionMs, engineMs, type RoundTrace } from './decision-log';
import type { PipelineBenchOptions } from './options';
import type { MemorySeries } from './process-usage';
import { percentile, round } from './statistics';

export interface Measured {
  readonly options: PipelineBenchOptions;
  readonly traces: readonly RoundTrace[];
  readonly duplicateDecisions: number;
  readonly bareChainMs: readonly number[];
  readonly supervisorCpuSeconds: number;
  readonly shardBytesPerCandidate: number;
  readonly memory: MemorySeries;
  /** Growth is counted from here: minute 3 of the measured part, or its middle where it is too short for that. */
  readonly growthSinceMs: number;
  readonly eventLoopSpinMs: number;
}

const rounded = (values: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, round(value)]));

/** Median milliseconds between the broker's append times of a round's steps: where the decision time goes. */
function stages(complete: readonly RoundTrace[]): Record<string, number> {
  const p50 = (of: (trace: RoundTrace) => number): number => round(percentile(complete.map(of), 0.5));
  return {
    submitToShards: p50(({ appended, submittedAt }) => appended.shards - submittedAt),
    shardsToManifest: p50(({ appended }) => appended.manifest - appended.shards),
    shardsToOutcomes: p50(({ appended }) => appended.outcomes - appended.shards),
    allInToDecision: p50(
      ({ appended, decidedAt }) => (decidedAt ?? NaN) - Math.max(appended.outcomes, appended.manifest),
    ),
  };
}

/** The one JSON line of the benchmark. Overhead is over complete rounds. */
export function report(measured: Measured): Record<string, unknown> {
  const { options, traces, bareChainMs } = measured;
  const decided = traces.filter((trace) => trace.decidedAt !== null);
  const complete = decided.filter((trace) => trace.closedBy === 'complete' && trace.backend.length > 0);
  const overhead = complete.map((trace) => decisionMs(trace) - engineMs(trace));
  const candidates = traces.reduce((sum, trace) => sum + trace.candidatesSolved, 0);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    rounds: traces.length,
    refused: traces.filter((trace) => trace.refusal !== null).length,
    decided: decided.length,
    closedByDeadline: decided.filter((trace) => trace.closedBy === 'deadline').length,
    lateDecisions: decided.filter((trace) => (trace.decidedAt ?? 0) > trace.deadline).length,
    duplicateDecisions: measured.duplicateDecisions,
    coverageMean: round(mean(decided.map((trace) => trace.coverage)), 4),
    decisionMsP50: round(percentile(decided.map(decisionMs), 0.5)),
    decisionMsP99: round(percentile(decided.map(decisionMs), 0.99)),
    engineMsP50: round(percentile(complete.map(engineMs), 0.5)),
    overheadMsP50: round(percentile(overhead, 0.5)),
    overheadMsP99: round(percentile(overhead, 0.99)),
    stagesMsP50: stages(complete),
    bareChainMsP50: round(percentile(bareChainMs, 0.5)),
    bareChainMsP99: round(percentile(bareChainMs, 0.99)),
    eventLoopSpinMs: round(measured.eventLoopSpinMs, 2),
    supervisorCpuUsPerCandidate: round((measured.supervisorCpuSeconds * 1e6) / candidates, 2),
    shardBytesPerCandidate: round(measured.shardBytesPerCandidate),
    candidatesPerRound: round(mean(complete.map((trace) => trace.candidatesSolved))),
    shards: options.shards,
    roundsPerSecond: options.roundsPerSecond,
    rssMb: rounded(measured.memory.last()),
    rssGrowthMb: rounded(measured.memory.growth(measured.growthSinceMs)),
  };
}
