import { quantile } from '../../simulation/statistics';
import { OurRouter } from './our-router';
import type { Scenario } from './scenario';
import type { SimulationResult } from './simulation-result';

export interface RoutingFigures {
  readonly shards: number;
  /** Share of shards that missed their deadline. */
  readonly missed: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  /** Attempts a shard. */
  readonly attempts: number;
  /** Share that was solved at the worker's own engine. */
  readonly local: number;
  /** Busy time of the busiest tenth of the engines over the mean. */
  readonly busiest: number;
  /** From when a fault could first be seen by a worker until it sent nothing more there; the longest. null: not known. */
  readonly detectionMs: number | null;
}

export function measure(scenario: Scenario, result: SimulationResult): RoutingFigures {
  const { outcomes, engines } = result;
  const solved = outcomes.filter((outcome) => outcome.solved);
  const latencies = outcomes.map(
    ({ shard, endMs, solved: ok }) => (ok ? endMs : shard.deadlineMs) - shard.arrivesMs,
  );
  const busy = engines.map(({ busyMs }) => busyMs).toSorted((a, b) => b - a);
  const meanBusy = busy.reduce((sum, ms) => sum + ms, 0) / busy.length;
  const tenth = busy.slice(0, Math.max(1, Math.round(busy.length / 10)));
  return {
    shards: outcomes.length,
    missed: 1 - solved.length / outcomes.length,
    latencyP50Ms: quantile(latencies, 0.5),
    latencyP99Ms: quantile(latencies, 0.99),
    attempts: outcomes.reduce((sum, { attempts }) => sum + attempts, 0) / outcomes.length,
    local: solved.filter(({ remote }) => remote === null).length / Math.max(1, solved.length),
    busiest: tenth.reduce((sum, ms) => sum + ms, 0) / tenth.length / meanBusy,
    detectionMs: detectionMs(scenario, result),
  };
}

function detectionMs(
  { faults, engines }: Scenario,
  { routers, firstSeenMs }: SimulationResult,
): number | null {
  let longest: number | null = null;
  for (const { engine } of faults) {
    const { name } = engines[engine]!;
    routers.forEach((router, worker) => {
      const seen = firstSeenMs.get(`${name} ${worker}`);
      const times = router instanceof OurRouter ? router.outAtMs.get(name) : undefined;
      const out = times?.find((ms) => seen !== undefined && ms >= seen);
      if (seen !== undefined && out !== undefined) longest = Math.max(longest ?? 0, out - seen);
    });
  }
  return longest;
}
