import type { UnixMs } from '#schemas/brands';
import { validateRound, type RoundLimits } from '../../policy/validation/index';

export const now = 1_800_000_000_000 as UnixMs;
export const deadline = now + 2_000;
export const asOf = 1_800_000_000;

export type Json = Record<string, unknown>;
export const order = (orderId: string, changes: Json = {}): Json => ({
  orderId,
  pickup: { placeId: 'R', point: { x: 13.4, y: 52.5 } },
  dropoff: { point: { x: 13.41, y: 52.51 } },
  ...changes,
});
export const courier = (courierId: string, changes: Json = {}): Json => ({
  courierId,
  position: { x: 13.39, y: 52.49 },
  ...changes,
});
/** What a producer sends, valid unless changed. */
export const body = (changes: Json = {}): Json => ({
  roundId: '1',
  deadline,
  asOf,
  couriers: [courier('k')],
  orders: [order('a')],
  ...changes,
});

/** `path: value | limit` of each. */
export function faultsOf(value: unknown, limits?: RoundLimits): string[] {
  const result = validateRound(value, now, limits);
  return result.kind === 'valid'
    ? []
    : result.faults.map(({ path, value: v, limit }) => `${path}: ${v} | ${limit}`);
}
export const pathsOf = (value: unknown) => faultsOf(value).map((fault) => fault.split(':')[0]);
export function roundOf(value: unknown) {
  const result = validateRound(value, now);
  if (result.kind !== 'valid') throw new Error(JSON.stringify(result));
  return result.round;
}
export const onlyFault = (value: unknown) => {
  const faults = faultsOf(value);
  expect(faults).toHaveLength(1);
  return faults[0];
};
