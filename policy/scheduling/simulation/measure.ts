import { quantile } from '../../simulation/statistics';
import { demandOf } from '../device-load';
import { cpuResource, phases, resourceOfPhase, resources } from '../phases';
import { profileOf, type Scenario } from './scenario';
import type { SimulationResult } from './simulate';
import { trueTimes } from './truth';

export interface SimulationFigures {
  readonly solved: number;
  readonly late: number;
  readonly missed: number;
  readonly unfit: number;
  readonly makespanMs: number;
  readonly busyMs: number;
  /** Of solved shards, a second in which anything was there to do. */
  readonly throughput: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  /** Solved units of size a busy second. */
  readonly unitsPerSecond: number;
  readonly poolPeakBytes: number;
  readonly arenaPeakBytes: number;
  readonly inFlightPeak: number;
  /** Jobs at once on a resource, the largest of all devices. */
  readonly peaks: Readonly<Record<string, number>>;
  /** The time of all devices' ETR and OR together over all devices' busy time. */
  readonly overlap: number;
}

export function measure(scenario: Scenario, result: SimulationResult): SimulationFigures {
  const { outcomes, busyMs, resources: used, memory } = result;
  const count = (kind: string) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const solved = outcomes.filter(({ kind }) => kind === 'solved');
  const latencies = solved.map(({ shard, endMs }) => endMs - shard.arrivesMs);
  const arenas = scenario.devices.map(({ id }) => memory.peaks.get(id) ?? 0);
  return {
    solved: solved.length,
    late: count('late'),
    missed: count('missed'),
    unfit: count('unfit'),
    makespanMs: Math.max(...outcomes.map(({ endMs }) => endMs)),
    busyMs,
    throughput: (1_000 * solved.length) / busyMs,
    latencyP50Ms: quantile(latencies, 0.5),
    latencyP99Ms: quantile(latencies, 0.99),
    unitsPerSecond: (1_000 * solved.reduce((sum, { shard }) => sum + shard.size, 0)) / busyMs,
    poolPeakBytes: memory.peaks.get('pool') ?? 0,
    arenaPeakBytes: Math.max(...arenas),
    inFlightPeak: result.peakInFlight,
    peaks: peaksOf(result),
    overlap: used.overlapMs / (busyMs * scenario.devices.length),
  };
}

function peaksOf({ resources: used }: SimulationResult): Record<string, number> {
  const peaks: Record<string, number> = {};
  for (const { name, shared } of used.list()) {
    const kind = name.slice(name.indexOf('/') + 1);
    peaks[kind] = Math.max(peaks[kind] ?? 0, shared.peakJobs);
  }
  return peaks;
}

/**
 * Below this no scheduler comes: the busy time of the most loaded resource, if all devices were one as fast as
 * all together, work flowed like water and nothing else took time.
 */
export function busyBoundMs(scenario: Scenario): number {
  const speed = scenario.devices.reduce((sum, device) => sum + device.speed, 0);
  const reference = { ...scenario.devices[0]!, speed: 1 };
  const until = new Float64Array(resources.length);
  const busy = new Float64Array(resources.length);
  for (const shard of scenario.shards) {
    const { noise } = scenario;
    const times = trueTimes(profileOf(scenario, shard.model), shard.size, reference, noise, shard.seed);
    for (let phase = 0; phase < phases.length; phase += 1) {
      const at = resourceOfPhase[phase]!;
      const rate = at === cpuResource ? scenario.cores : speed;
      const ms = (times[phase]! * demandOf(phase, shard, reference)) / rate;
      until[at] = Math.max(until[at]!, shard.arrivesMs) + ms;
      busy[at]! += ms;
    }
  }
  return Math.max(...busy);
}
