import type { StandardOptions } from '#policy/scheduling/simulation/standard-scenario';

export interface SchedulingCase {
  readonly name: string;
  readonly changes: Partial<StandardOptions>;
}

const lossMs = { atMs: 1_000, backMs: 3_000 };

/** Loads are against the most loaded resource; at 1 of `interference` ETR and OR of a device take turns anyway. */
export const cases: readonly SchedulingCase[] = [
  { name: 'one device, load 0.3', changes: { load: 0.3 } },
  { name: 'one device, load 0.7', changes: { load: 0.7 } },
  { name: 'one device, load 0.9', changes: {} },
  { name: 'one device, no interference', changes: { interference: 0 } },
  { name: 'one device, full interference', changes: { interference: 1, load: 0.5 } },
  { name: 'one device, phases told with the answer', changes: { isUntold: true } },
  { name: 'the same, load 0.3', changes: { isUntold: true, load: 0.3 } },
  { name: 'two equal devices, the same', changes: { isUntold: true, speeds: [1, 1] } },
  { name: 'two equal devices', changes: { speeds: [1, 1] } },
  { name: 'four equal devices', changes: { speeds: [1, 1, 1, 1] } },
  { name: 'devices of speed 1, 0.5, 0.1', changes: { speeds: [1, 0.5, 0.1] } },
  {
    name: 'two devices, one lost for 2 s',
    changes: { speeds: [1, 1], losses: [{ deviceId: 'device-1', ...lossMs }] },
  },
  { name: 'deadlines of 150 to 800 ms', changes: { deadlineMs: [150, 800] } },
  { name: 'overload 1.5, deadlines of 200 to 1,500 ms', changes: { load: 1.5, deadlineMs: [200, 1_500] } },
];
