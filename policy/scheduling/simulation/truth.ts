import type { SeededRandom } from '../../assignment/seeded-random';
import { phases, phaseTimes, type PhaseTimes } from '../phases';
import { mixedRandom } from './mixed-random';

/** What a model costs on a device of speed 1: fixed milliseconds, and so many a unit of size. */
export interface ModelProfile {
  readonly name: string;
  readonly fixedMs: PhaseTimes;
  readonly msPerUnit: PhaseTimes;
}

export interface SimulatedDevice {
  readonly id: string;
  readonly speed: number;
  readonly arenaBytes: number;
  readonly fullSize: number;
  readonly sideBySide?: ReadonlyMap<string, number>;
  readonly isUntold?: boolean;
  /** How much ETR and OR slow each other down while both run: 0 not at all, 1 as if they took turns. */
  readonly interference: number;
}

export interface Noise {
  /** Standard deviation of the logarithm of a phase's time. */
  readonly spread: number;
  readonly outlierShare: number;
  readonly outlierFactor: number;
}

const isDevicePhase = phases.map((phase) => phase !== 'decode' && phase !== 'publish');

/** Without noise. A shard too small to fill a device is not faster for it, it leaves room. */
export function expectedTimes(profile: ModelProfile, size: number, device: SimulatedDevice): PhaseTimes {
  return Float64Array.from(phases, (phase, at) => {
    const fills = phase === 'etr' || phase === 'or';
    const units = fills ? Math.max(size, device.fullSize) : size;
    const ms = profile.fixedMs[at]! + profile.msPerUnit[at]! * units;
    return isDevicePhase[at] ? ms / device.speed : ms;
  });
}

/** What the phases of a shard really take there, by its seed: the same for every policy. */
export function trueTimes(
  profile: ModelProfile,
  size: number,
  device: SimulatedDevice,
  noise: Noise,
  seed: number,
): PhaseTimes {
  const random = mixedRandom(seed);
  return expectedTimes(profile, size, device).map((ms) => {
    const factor = Math.exp(noise.spread * normal(random));
    return ms * factor * (random.unit() < noise.outlierShare ? noise.outlierFactor : 1);
  });
}

function normal(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
}

/** An ETR network as heavy as `etrShare` says against OR's milliseconds a unit. */
export function modelProfile(name: string, orMsPerUnit: number, etrShare: number): ModelProfile {
  const etr = orMsPerUnit * etrShare;
  const copies = { copyIn: 0.1 * orMsPerUnit, copyOut: 0.04 * orMsPerUnit };
  return {
    name,
    fixedMs: phaseTimes({ decode: 0.1, copyIn: 0.02, etr: 0.1, or: 0.2, copyOut: 0.02, publish: 0.1 }),
    msPerUnit: phaseTimes({ decode: 0.001, ...copies, etr, or: orMsPerUnit, publish: 0.001 }),
  };
}
