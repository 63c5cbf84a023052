/** What a shard passes, in this order; each loads one resource. */
export const phases = ['decode', 'copyIn', 'etr', 'or', 'copyOut', 'publish'] as const;
export type Phase = (typeof phases)[number];

/** `cpu` is the worker's and shared by all devices; every device has the others for itself. */
export const resources = ['cpu', 'copyIn', 'etr', 'or', 'copyOut'] as const;
export type Resource = (typeof resources)[number];

export const cpuResource = resources.indexOf('cpu');

/** Index into `resources` of each phase. */
export const resourceOfPhase: readonly number[] = phases.map((phase) =>
  phase === 'decode' || phase === 'publish' ? cpuResource : resources.indexOf(phase),
);

/** Activations are held from the copy in to the end of the copy out. */
export const lastDevicePhase = phases.indexOf('copyOut');

/** Milliseconds of each phase, in the order of `phases`. */
export type PhaseTimes = Float64Array;

export function phaseTimes(ms: Readonly<Record<Phase, number>>): PhaseTimes {
  return Float64Array.from(phases, (phase) => ms[phase]);
}
