import { demandOf, type DeviceLoad } from './device-load';
import { cpuResource, phases, resourceOfPhase, resources } from './phases';
import type { WaitingShard } from './scheduler';
import type { HeldShard } from './waiting-shards';

/** What would become of a shard on a device, in milliseconds from now. */
export interface StartPlan extends PlannedTimes {
  readonly held: HeldShard;
  readonly device: DeviceLoad;
}

/** Of a start now. */
export interface PlannedTimes {
  /** What the resource of its longest phase has to do before. */
  readonly aheadMs: number;
  /** Started later than this, its longest phase would keep its resource waiting. */
  readonly holdMs: number;
  /** Started earlier than this, it would wait for a resource after another phase. */
  readonly queueMs: number;
  /** When it would be done if it were started now. */
  readonly finishMs: number;
  readonly longestPhaseMs: number;
  readonly totalMs: number;
}

/**
 * `rates`: milliseconds a unit of size for each phase. `device.ahead` must be of now, `cpuAheadMs` what all devices'
 * shards still want of the processors.
 */
export function planStart(
  held: HeldShard,
  device: DeviceLoad,
  rates: Float64Array,
  cpuAheadMs: number,
): StartPlan {
  const times = planTimes(held.shard.size, device, rates, cpuAheadMs);
  const { aheadMs, holdMs, queueMs, finishMs, longestPhaseMs, totalMs } = times;
  return { held, device, aheadMs, holdMs, queueMs, finishMs, longestPhaseMs, totalMs };
}

export function planTimes(
  size: number,
  device: DeviceLoad,
  rates: Float64Array,
  cpuAheadMs: number,
): PlannedTimes {
  let holdMs = 0;
  let queueMs = 0;
  let longestAheadMs = 0;
  let finishMs = 0;
  let longestPhaseMs = 0;
  let totalMs = 0;
  for (let phase = 0; phase < phases.length; phase += 1) {
    const resource = resourceOfPhase[phase]!;
    const aheadMs = resource === cpuResource ? cpuAheadMs : device.ahead[resource]!;
    const ms = rates[phase]! * size;
    queueMs = Math.max(queueMs, aheadMs - totalMs);
    finishMs = Math.max(finishMs, aheadMs) + ms;
    if (ms > longestPhaseMs) {
      longestPhaseMs = ms;
      longestAheadMs = aheadMs;
      holdMs = aheadMs - totalMs;
    }
    totalMs += ms;
  }
  return { aheadMs: longestAheadMs, holdMs, queueMs, finishMs, longestPhaseMs, totalMs };
}

/**
 * What a shard adds to the time in which these devices together work off what waits: for each resource, since they
 * share it out by their speeds, one over the sum of one over each device's time.
 */
export function sharedMs(
  shard: Pick<WaitingShard, 'size' | 'model'>,
  devices: readonly { readonly device: DeviceLoad; readonly rates: Float64Array }[],
  cores: number,
): Float64Array {
  const perMs = new Float64Array(resources.length);
  const share = new Float64Array(resources.length);
  for (const { device, rates } of devices) {
    const wanted = new Float64Array(resources.length);
    for (let phase = 0; phase < phases.length; phase += 1) {
      const ms = rates[phase]! * shard.size * demandOf(phase, shard, device.spec);
      wanted[resourceOfPhase[phase]!]! += ms;
    }
    for (let at = 0; at < wanted.length; at += 1) if (wanted[at]! > 0) perMs[at]! += 1 / wanted[at]!;
  }
  for (let at = 0; at < share.length; at += 1) share[at] = perMs[at]! > 0 ? 1 / perMs[at]! : 0;
  share[cpuResource]! *= devices.length / cores;
  return share;
}
