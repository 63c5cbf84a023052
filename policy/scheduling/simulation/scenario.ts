import type { SimulatedShard } from './arrivals';
import type { ModelProfile, Noise, SimulatedDevice } from './truth';

export interface DeviceLoss {
  readonly deviceId: string;
  readonly atMs: number;
  /** Infinity: it stays away. */
  readonly backMs: number;
}

/** Everything that happens to a scheduler but its own decisions. */
export interface Scenario {
  readonly models: readonly ModelProfile[];
  readonly devices: readonly SimulatedDevice[];
  /** By arrival. */
  readonly shards: readonly SimulatedShard[];
  readonly losses: readonly DeviceLoss[];
  readonly noise: Noise;
  readonly cores: number;
  readonly poolBytes: number;
}

export function profileOf(scenario: Pick<Scenario, 'models'>, model: string): ModelProfile {
  const profile = scenario.models.find(({ name }) => name === model);
  if (profile === undefined) throw new RangeError(`no model ${model}`);
  return profile;
}
