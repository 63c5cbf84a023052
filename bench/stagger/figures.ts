import { quantile } from '#policy/simulation/statistics';
import type { SchedulerFigures } from '#policy/scheduling/scheduler';
import { intersection, unionOf, type Interval } from './intervals';
import type { Played } from './play';

/** Of one run of the trace. */
export interface RunFigures {
  readonly solved: number;
  readonly late: number;
  readonly failed: number;
  readonly resent: number;
  readonly makespanMs: number;
  /** In which anything of the trace was there to do. */
  readonly busyMs: number;
  /** Of solved shards, a busy second. */
  readonly candidatesPerSecond: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
  /** Time in which a device had any shard in the phase, all devices together, and the mean number of shards in it then. */
  readonly phases: Readonly<Record<string, { readonly busyMs: number; readonly atOnce: number }>>;
  /** Time of ETR and OR side by side over the time of either. */
  readonly overlap: number;
  /** Candidates of each device. */
  readonly devices: Readonly<Record<string, number>>;
  /** The busiest over the mean. */
  readonly imbalance: number;
  readonly poolPeakBytes: number;
  readonly started: number;
}

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

function deviceOf(engine: string): string {
  return engine.replace(/#.*/, '');
}

function byDevice(played: readonly Played[]): Map<string, Played[]> {
  const devices = new Map<string, Played[]>();
  for (const one of played) {
    if (one.engine === '') continue;
    const id = deviceOf(one.engine);
    devices.set(id, [...(devices.get(id) ?? []), one]);
  }
  return devices;
}

function intervalsOf(played: readonly Played[], phase: string): Interval[] {
  return played.flatMap(({ spans }) =>
    spans
      .filter((span) => span.phase === phase)
      .map(({ startNs, endNs }) => ({ start: Number(startNs) / 1e6, end: Number(endNs) / 1e6 })),
  );
}

const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { start, end }) => sum + end - start, 0);

function phaseFigures(devices: ReadonlyMap<string, readonly Played[]>): RunFigures['phases'] {
  const names = ['copyIn', 'etr', 'or', 'copyOut'];
  const entries = names.map((phase) => {
    const each = [...devices.values()].map((played) => intervalsOf(played, phase));
    const busyMs = each.reduce((sum, intervals) => sum + lengthOf(unionOf(intervals)), 0);
    const all = each.reduce((sum, intervals) => sum + lengthOf(intervals), 0);
    return [phase, { busyMs: round(busyMs), atOnce: busyMs === 0 ? 0 : round(all / busyMs) }];
  });
  return Object.fromEntries(entries) as RunFigures['phases'];
}

function overlapOf(devices: ReadonlyMap<string, readonly Played[]>): number {
  let both = 0;
  let either = 0;
  for (const played of devices.values()) {
    const [etr, or] = ['etr', 'or'].map((phase) => unionOf(intervalsOf(played, phase)));
    const together = lengthOf(intersection(etr!, or!));
    both += together;
    either += lengthOf(etr!) + lengthOf(or!) - together;
  }
  return either === 0 ? 0 : round(both / either, 3);
}

export function figuresOf(played: readonly Played[], scheduler: SchedulerFigures): RunFigures {
  const count = (status: string): number => played.filter((one) => one.status === status).length;
  const solved = played.filter(({ status }) => status === 'solved');
  const latencies = solved.map(({ endMs, shard }) => endMs - shard.atMs);
  const present = played.map(({ endMs, shard }) => ({ start: shard.atMs, end: endMs }));
  const busyMs = lengthOf(unionOf(present));
  const devices = byDevice(solved);
  const sizes = [...devices].map(
    ([id, of]) => [id, of.reduce((sum, { shard }) => sum + shard.template.size, 0)] as const,
  );
  const candidates = sizes.reduce((sum, [, size]) => sum + size, 0);
  return {
    solved: solved.length,
    late: count('late'),
    failed: count('failed'),
    resent: played.filter(({ resent }) => resent).length,
    makespanMs: round(Math.max(...played.map(({ endMs }) => endMs))),
    busyMs: round(busyMs),
    candidatesPerSecond: Math.round((1_000 * candidates) / busyMs),
    latencyP50Ms: round(quantile(latencies, 0.5)),
    latencyP99Ms: round(quantile(latencies, 0.99)),
    phases: phaseFigures(devices),
    overlap: overlapOf(devices),
    devices: Object.fromEntries(sizes.sort(([a], [b]) => a.localeCompare(b))),
    imbalance: round((Math.max(...sizes.map(([, size]) => size)) * sizes.length) / candidates, 3),
    poolPeakBytes: scheduler.poolPeakBytes,
    started: scheduler.started,
  };
}
