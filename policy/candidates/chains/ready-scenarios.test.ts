import type { DispatchRound, Order } from '#schemas/domain';
import type { Seconds } from '#schemas/brands';
import { buildCourier, buildOrder, buildRound } from '../../../test/support/build-round';
import { readyRisk } from './ready-risk';
import { readyScenarios } from './ready-scenarios';

const seconds = (value: number) => value as Seconds;
const unknown = (id: string, changes: Partial<Order> = {}) =>
  buildOrder(id, {
    ...{ placedAt: seconds(400), readyAt: seconds(1_600) },
    known: { ready: false, pickupWait: true, handover: true },
    ...changes,
  });

function roundOf(orders: readonly Order[], policy: Partial<DispatchRound['policy']> = {}): DispatchRound {
  const round = buildRound({ asOf: seconds(1_000), couriers: [buildCourier('c')], orders });
  const chains = { maxTrips: 4, maxOrders: 6 };
  return { ...round, policy: { ...round.policy, mergePickups: true, chains, ...policy } };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const timesOf = (round: DispatchRound, order: number) =>
  readyScenarios(round)!.readyAt.map((times) => times[order]!);

test('none where all ready times are known, or the round has no chains', () => {
  expect(readyScenarios(roundOf([buildOrder('r')]))).toBeNull();
  expect(readyRisk(roundOf([buildOrder('r')]))).toBeNull();
  const { chains: _, ...unchained } = roundOf([unknown('a')]).policy;
  const round = { ...roundOf([unknown('a')]), policy: unchained };
  expect(readyScenarios(round)).toBeNull();
  expect(readyRisk(round)).toBeNull();
});

test('a known time is the same in all scenarios; an unknown one has the stated time as its mean when it is placed', () => {
  const placed = unknown('a', { placedAt: seconds(1_000), readyAt: seconds(2_000) });
  const round = roundOf([buildOrder('r', { readyAt: seconds(1_300) }), placed]);
  expect([...readyScenarios(round)!.isUncertain]).toEqual([0, 1]);
  expect(new Set(timesOf(round, 0))).toEqual(new Set([300]));
  const times = timesOf(round, 1);
  // Twelve parts cut the long tail off: the mean of 1,000 s is met within 3%.
  expect(Math.abs(mean(times) - 1_000)).toBeLessThan(30);
  const deviation = Math.sqrt(mean(times.map((time) => (time - mean(times)) ** 2)));
  expect(deviation).toBeGreaterThan(300);
  expect(deviation).toBeLessThan(450);
  expect(times.every(Number.isSafeInteger)).toBe(true);
});

test('a large round has fewer scenarios, and two at least', () => {
  const counts = [200, 400, 1_000, 10_000].map((couriers) => {
    const round = roundOf(Array.from({ length: 200 }, (_, i) => unknown(`o${i}`)));
    const many = Array.from({ length: couriers }, (_, i) => buildCourier(`c${i}`));
    return readyScenarios({ ...round, couriers: many })!.readyAt.length;
  });
  // 12 × 40,000 over 200 × 200, 400 × 200, 1,000 × 200; a tenth of the last would be none.
  expect(counts).toEqual([12, 6, 2, 2]);
});

test('what is overdue is ready after asOf, within half an hour; nothing before it', () => {
  for (const placedAt of [-100_000, -2_000, 0, 400, 999, 1_000]) {
    const order = unknown('a', { placedAt: seconds(placedAt), readyAt: seconds(placedAt + 600) });
    for (const time of timesOf(roundOf([order]), 0)) {
      expect(time).toBeGreaterThanOrEqual(0);
      expect(time).toBeLessThanOrEqual(1_800);
    }
  }
});

test('orders vary apart from one another, and equal rounds get equal scenarios', () => {
  const round = roundOf([unknown('a'), unknown('b')]);
  expect(timesOf(round, 0)).not.toEqual(timesOf(round, 1));
  expect([...timesOf(round, 0)].sort()).toEqual([...timesOf(round, 1)].sort());
  expect(readyScenarios(round)).toEqual(readyScenarios(round));
});

test('a stated time before the placement, and an order placed after asOf, are taken as they come', () => {
  const round = roundOf([
    unknown('a', { placedAt: seconds(900), readyAt: seconds(100) }),
    unknown('b', { placedAt: seconds(1_500), readyAt: seconds(2_100) }),
  ]);
  expect(timesOf(round, 0).every((time) => Number.isFinite(time) && time >= 0)).toBe(true);
  expect(Math.min(...timesOf(round, 1))).toBeGreaterThan(500);
});

test('two meals of one trip that aren’t known cost more than each alone; a known one nothing', () => {
  const weights = { lateness: 0, duration: 0, freshness: 1 };
  const round = roundOf([unknown('a'), unknown('b'), buildOrder('r')], { weights });
  const risk = readyRisk(round)!;
  const alone = risk(0, Int32Array.of(0));
  expect(risk(0, Int32Array.of(2))).toBe(0);
  // Each waits for the later of the two.
  expect(risk(0, Int32Array.of(0, 1))).toBeGreaterThan(alone + risk(0, Int32Array.of(1)));
});
