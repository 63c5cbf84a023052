import { CostModel } from '#policy/scheduling/cost-model';
import { Fifo } from '#policy/scheduling/fifo';
import { phaseTimes } from '#policy/scheduling/phases';
import type { Scheduler } from '#policy/scheduling/scheduler';
import { defaultSettings, type SchedulerSettings } from '#policy/scheduling/settings';
import { Staggered } from '#policy/scheduling/staggered';
import type { EngineDevice } from './engine-device';
import { TurnLag } from './turn-lag';

export const schedulerNames = ['staggered', 'fifo'] as const;
export type SchedulerName = (typeof schedulerNames)[number];

/** Timers are no finer than a millisecond: a resource must have so much to do when a shard is held. */
const cushionMs = 2;
/** … and so many times what this thread's turns are late. */
const lagShare = 2;
/** Threads need no interlock: there short ones go first, by their own length, which is also all that a long one is passed by. */
const headStartOnCpu = -1;
const mostPassesOnCpu = 64;
/** The other threads go on where one is longer than predicted. */
const cushionShareOnCpu = 1;
/** A candidate on one thread, before anything has been seen. */
const priorMs = { decode: 1e-6, copyIn: 1e-6, etr: 0.001, or: 0.002, copyOut: 1e-6, publish: 1e-6 };

function settingsFor(poolBytes: number, devices: readonly EngineDevice[], lag: TurnLag): SchedulerSettings {
  const isOnCpu = (): boolean => devices.every(({ link }) => link.deviceKind === 'cpu');
  return {
    ...defaultSettings,
    poolBytes,
    // Decoding and publishing happen in one thread.
    cores: 1,
    get cushionMs() {
      return cushionMs + lagShare * lag.ms;
    },
    get cushionShare() {
      return isOnCpu() ? cushionShareOnCpu : defaultSettings.cushionShare;
    },
    get headStart() {
      return isOnCpu() ? headStartOnCpu : defaultSettings.headStart;
    },
    get mostPasses() {
      return isOnCpu() ? mostPassesOnCpu : defaultSettings.mostPasses;
    },
  };
}

export function makeScheduler(
  name: SchedulerName,
  poolBytes: number,
  devices: readonly EngineDevice[],
  lag = new TurnLag(),
): { readonly scheduler: Scheduler; readonly costs: CostModel } {
  const costs = new CostModel((_model, size) => phaseTimes(priorMs).map((ms) => ms * size));
  const settings = settingsFor(poolBytes, devices, lag);
  const scheduler = name === 'fifo' ? new Fifo(settings, costs) : new Staggered(settings, costs);
  return { scheduler, costs };
}
