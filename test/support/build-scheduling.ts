import { CostModel } from '#policy/scheduling/cost-model';
import { phases, phaseTimes, type Phase } from '#policy/scheduling/phases';
import type { SchedulingDevice, WaitingShard } from '#policy/scheduling/scheduler';
import { defaultSettings, type SchedulerSettings } from '#policy/scheduling/settings';

/** A unit in size; the deadline is at a second. */
export function buildShard(id: string, changes: Partial<WaitingShard> = {}): WaitingShard {
  return { id, model: 'm', size: 1, deadlineMs: 1_000, poolBytes: 1, arenaBytes: 1, ...changes };
}

/** Full with one unit. */
export function device(id: string, changes: Partial<SchedulingDevice> = {}): SchedulingDevice {
  return { id, speed: 1, arenaBytes: 100, fullSize: 1, ...changes };
}

export function settings(changes: Partial<SchedulerSettings> = {}): SchedulerSettings {
  return { ...defaultSettings, poolBytes: 100, cores: 1, ...changes };
}

const none = Object.fromEntries(phases.map((phase) => [phase, 0])) as Record<Phase, number>;

/** Milliseconds a unit by model; for others 10 of ETR and 10 of OR. */
export function costs(models: Record<string, Partial<Record<Phase, number>>> = {}): CostModel {
  return new CostModel((model, size) =>
    phaseTimes({ ...none, ...(models[model] ?? { etr: 10, or: 10 }) }).map((ms) => ms * size),
  );
}
