import type { CourierId, OrderId, Seconds } from '#schemas/brands';
import { buildOrder, buildStop } from '../../test/support/build-round';
import type { Day, DayResult } from './day';
import { dayMetrics } from './day-metrics';
import { quantile } from './statistics';

const seconds = (value: number) => value as Seconds;
const rules = { targetClickToDoor: 40, maximumClickToDoor: 90, payPerOrder: 10, guaranteedPayPerHour: 15 };

/** Ready after 10 min, 2 min hand-over at the pickup, 8 min of ride, 2 min walk-in: a floor of 22 min. */
const order = (id: string) =>
  buildOrder(id, {
    readyAt: seconds(600),
    promisedAt: seconds(2400),
    dropoff: buildStop(`home-${id}`, 100, 0, { preServiceSeconds: seconds(120) }),
  });

const courier = (id: string, hours: number) =>
  ({ courierId: id as CourierId, onAt: seconds(0), offAt: seconds(3600 * hours), vehicle: 'car' }) as never;

const day = {
  orders: [order('a'), order('b'), order('c')],
  couriers: [courier('k', 1), courier('l', 2)],
  truth: {
    readyAt: () => seconds(600),
    pickupPostSeconds: () => seconds(120),
    dropoffPostSeconds: () => seconds(120),
    travelSeconds: () => seconds(480),
  },
} as unknown as Day;

const delivery = (id: string, pickedUp: number, dropped: number) => ({
  orderId: id as OrderId,
  courierId: 'k' as CourierId,
  pickedUpAt: seconds(60 * pickedUp),
  droppedOffAt: seconds(60 * dropped),
});

const result: DayResult = {
  rounds: 1,
  legs: [],
  bundles: [
    { courierId: 'k' as CourierId, assignedAt: seconds(0), orderIds: ['a' as OrderId, 'b' as OrderId] },
  ],
  deliveries: [delivery('a', 12, 30), delivery('b', 12, 46)],
  undelivered: ['c' as OrderId],
};

test('figures of a day with one bundle of two and one order left over', () => {
  const metrics = dayMetrics(day, result, rules);
  expect(metrics.clickToDoor).toBe(38); // (30 + 46) / 2
  expect(metrics.clickToDoorFloor).toBe(22); // 10 + 2 + 8 + 2
  expect(metrics.clickToDoorMinusFloor).toBe(16);
  expect(metrics.penalisedClickToDoor).toBeCloseTo(166 / 3); // (30 + 46 + 90) / 3
  expect(metrics.overage).toBe(3); // (0 + 6) / 2
  expect(metrics.readyToPickup).toBe(2);
  expect(metrics.readyToDoor).toBe(28); // 38 − 10
  expect(metrics.lateness).toBe(3);
  expect(metrics.lateShare).toBe(0.5);
  expect(metrics.ordersPerBundle).toBe(2);
  expect(metrics.costPerOrder).toBe(25); // (max(15, 20) + max(30, 0)) / 2
  expect(metrics.undeliveredPct).toBeCloseTo(33.33, 2);
});

test('a day on which nothing was delivered has figures too', () => {
  const none = dayMetrics(day, { ...result, deliveries: [], bundles: [] }, rules);
  expect(none.clickToDoor).toBe(0);
  expect(none.penalisedClickToDoor).toBe(90);
  expect(none.costPerOrder).toBe(45); // 15 + 30
});

test('quantile is linear between ranks', () => {
  expect(quantile([4, 1, 2, 3], 0.9)).toBeCloseTo(3.7); // rank 2.7 between 3 and 4
  expect(quantile([7], 0.9)).toBe(7);
});
