import { CostModel } from '#policy/scheduling/cost-model';
import { Fifo } from '#policy/scheduling/fifo';
import { phaseTimes } from '#policy/scheduling/phases';
import type { Scheduler } from '#policy/scheduling/scheduler';
import { defaultSettings, type SchedulerSettings } from '#policy/scheduling/settings';
import { Staggered } from '#policy/scheduling/staggered';
import type { EngineDevice } from './engine-device';

export const schedulerNames = ['staggered', 'fifo'] as const;
export type SchedulerName = (typeof schedulerNames)[number];

/** Timers are no finer than a millisecond: a resource must have so much to do when a shard is held. */
const cushionMs = 2;
/** Where the engine's threads keep this one from its turn for so long, it must not run dry meanwhile. */
const cushionOnCpuMs = 20;
/** Where ETR and OR run on the same cores, passing gains nothing (docs/scheduling.md). */
const mostPassesOnCpu = 2;
/** A candidate on one thread, before anything has been seen. */
const priorMs = { decode: 1e-6, copyIn: 1e-6, etr: 0.001, or: 0.002, copyOut: 1e-6, publish: 1e-6 };

function settingsFor(poolBytes: number, devices: readonly EngineDevice[]): SchedulerSettings {
  const isOnCpu = (): boolean => devices.every(({ link }) => link.deviceKind === 'cpu');
  return {
    ...defaultSettings,
    poolBytes,
    // Decoding and publishing happen in one thread.
    cores: 1,
    get cushionMs() {
      return isOnCpu() ? cushionOnCpuMs : cushionMs;
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
): { readonly scheduler: Scheduler; readonly costs: CostModel } {
  const costs = new CostModel((_model, size) => phaseTimes(priorMs).map((ms) => ms * size));
  const settings = settingsFor(poolBytes, devices);
  const scheduler = name === 'fifo' ? new Fifo(settings, costs) : new Staggered(settings, costs);
  return { scheduler, costs };
}
