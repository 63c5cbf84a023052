import { CostModel } from '../cost-model';
import { cpuResource, phases, phaseTimes, resourceOfPhase } from '../phases';
import { demandOf } from '../device-load';
import { defaultSettings, type SchedulerSettings } from '../settings';
import { burstArrivals } from './arrivals';
import { profileOf, type DeviceLoss, type Scenario } from './scenario';
import { expectedTimes, modelProfile, type SimulatedDevice } from './truth';

export interface StandardOptions {
  readonly seed: number;
  /** Of each device, against the first one's model. */
  readonly speeds: readonly number[];
  /** What comes over what the most loaded resource could do. */
  readonly load: number;
  readonly bursts: number;
  readonly deadlineMs: readonly [number, number];
  readonly interference: number;
  readonly losses: readonly DeviceLoss[];
  readonly poolBytes: number;
  readonly arenaBytes: number;
  /** Phases are told with the answer only. */
  readonly isUntold: boolean;
}

export const standardOptions: StandardOptions = {
  seed: 1,
  speeds: [1],
  load: 0.9,
  bursts: 20,
  deadlineMs: [5_000, 10_000],
  interference: 0.1,
  losses: [],
  poolBytes: 256 * 2 ** 20,
  arenaBytes: 1_024 * 2 ** 20,
  isUntold: false,
};

/** Two models whose ETR takes a third and three times of OR; rounds that differ twentyfold. */
const models = [modelProfile('or-heavy', 0.03, 1 / 3), modelProfile('etr-heavy', 0.01, 3)];
const cores = 2;
const noise = { spread: 0.1, outlierShare: 0.005, outlierFactor: 5 };

function deviceOf(speed: number, index: number, options: StandardOptions): SimulatedDevice {
  const { arenaBytes, interference, isUntold } = options;
  return { id: `device-${index}`, speed, arenaBytes, fullSize: 200, interference, isUntold };
}

/** Bursts of 10 rounds, each of 1 to 12 shards of 50 to 1,000 candidates, as often as the load says. */
export function standardScenario(changes: Partial<StandardOptions> = {}): Scenario {
  const options = { ...standardOptions, ...changes };
  const devices = options.speeds.map((speed, index) => deviceOf(speed, index, options));
  const { losses, poolBytes } = options;
  const base = { models, devices, losses, noise, cores, poolBytes, shards: [] };
  const shards = burstArrivals({
    seed: options.seed,
    models: models.map(({ name }) => name),
    bursts: options.bursts,
    burstEveryMs: burstMs(base) / options.load,
    roundsPerBurst: 10,
    mostShards: 12,
    leastSize: 50,
    sizeFactor: 20,
    deadlineMs: options.deadlineMs,
    poolBytesPerUnit: 256,
    arenaBytesPerUnit: 128 * 1_024,
  });
  return { ...base, shards };
}

/** What a burst keeps the most loaded resource busy on the average, sampled. */
function burstMs(scenario: Scenario): number {
  const bursts = 50;
  const names = scenario.models.map(({ name }) => name);
  const sample = burstArrivals({
    seed: 999,
    models: names,
    bursts,
    burstEveryMs: 0,
    roundsPerBurst: 10,
    mostShards: 12,
    leastSize: 50,
    sizeFactor: 20,
    deadlineMs: [0, 0],
    poolBytesPerUnit: 0,
    arenaBytesPerUnit: 0,
  });
  const speed = scenario.devices.reduce((sum, device) => sum + device.speed, 0);
  const busy = new Float64Array(phases.length);
  for (const { model, size } of sample) {
    const reference = { ...scenario.devices[0]!, speed: 1 };
    const times = expectedTimes(profileOf(scenario, model), size, reference);
    times.forEach((ms, phase) => {
      const at = resourceOfPhase[phase]!;
      busy[at]! += (ms * demandOf(phase, { model, size }, reference)) / (at === cpuResource ? cores : speed);
    });
  }
  return Math.max(...busy) / bursts;
}

/** Twice too slow and the same for all models: what is there before anything has been seen. */
const priorPerUnit = phaseTimes({
  decode: 0.002,
  copyIn: 0.004,
  etr: 0.04,
  or: 0.04,
  copyOut: 0.002,
  publish: 0.002,
});

export function standardCosts(): CostModel {
  return new CostModel((_model, size) => priorPerUnit.map((ms) => ms * size));
}

export function standardSettings(changes: Partial<SchedulerSettings> = {}): SchedulerSettings {
  return { ...defaultSettings, poolBytes: standardOptions.poolBytes, cores, ...changes };
}
