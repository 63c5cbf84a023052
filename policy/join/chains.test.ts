import type { OrderId, Seconds } from '#schemas/brands';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import { solved } from '../../test/support/solved-round';
import { decideRound } from './decide-round';

const seconds = (value: number) => value as Seconds;
/** One courier at R, then S 100 m on, each home 50 m behind its restaurant; on foot a metre is a second. */
const chain = (policy: object = {}, courier: object = {}) =>
  buildRound({
    couriers: [buildCourier('k', courier)],
    orders: [
      buildOrder('a', { pickup: buildStop('R', 0, 0), dropoff: buildStop('home-a', 50, 0) }),
      buildOrder('b', { pickup: buildStop('S', 100, 0), dropoff: buildStop('home-b', 150, 0) }),
    ],
    policy: buildPolicy({
      interleave: false,
      chains: { maxTrips: 3, maxOrders: 6 },
      commitHorizonSeconds: seconds(40),
      ...policy,
    }),
  });

function decided(round: ReturnType<typeof chain>) {
  const { manifest, outcomes } = solved(round);
  return decideRound(manifest, outcomes, 'complete');
}

test('a chain is an assignment a trip: the first is committed, the later ones are tentative', () => {
  const { assignments, moves, unassigned } = decided(chain());
  expect(unassigned).toEqual([]);
  expect(moves).toEqual([]);
  expect(assignments.map(({ orderIds, stage }) => [orderIds, stage])).toEqual([
    [['a'], 'final'],
    [['b'], 'tentative'],
  ]);
  expect(assignments.map(({ stops }) => stops.map(({ placeId, servedAt }) => [placeId, servedAt]))).toEqual([
    [
      ['R', 0],
      ['home-a', 50],
    ],
    [
      ['S', 100],
      ['home-b', 150],
    ],
  ]);
  // a: 10 · 50 fresh and 50 s; b adds 10 · 150 fresh and 100 s more.
  expect(assignments.map(({ cost }) => cost)).toEqual([550n, 1_600n]);
});

test('without the rule the second order waits for another round', () => {
  const { assignments, unassigned } = decided(chain({ chains: undefined }));
  expect(assignments).toHaveLength(1);
  expect(unassigned).toEqual([{ orderId: 'b', reason: 'cheaper_to_wait' }]);
});

test('held stops stand in the first trip', () => {
  const round = chain({}, { held: [{ orderId: 'h' as OrderId, onBoard: true }] });
  const held = buildOrder('h', { dropoff: buildStop('home-h', 0, 0) });
  const { assignments } = decided({ ...round, orders: [...round.orders, held] });
  expect(assignments.map(({ stops }) => stops.map(({ placeId }) => placeId))).toEqual([
    ['home-h', 'R', 'home-a'],
    ['S', 'home-b'],
  ]);
  expect(assignments.map(({ orderIds }) => orderIds)).toEqual([['a'], ['b']]);
});

test('orders beyond the guaranteed pay cost more: a small saving is no longer worth it', () => {
  // Courier k is at the restaurant, l is 10 m off: 10 s later, so 100 fresh and 10 s, 110 in all.
  const round = buildRound({
    couriers: [
      buildCourier('k', { coveredOrders: 0 }),
      buildCourier('l', { position: { x: 10, y: 0 }, coveredOrders: 1 }),
    ],
    orders: [buildOrder('a')],
  });
  const takenAt = (uncoveredOrderCost: number) =>
    decided({ ...round, policy: buildPolicy({ uncoveredOrderCost }) }).assignments[0]!.courierId;
  expect(takenAt(109)).toBe('k');
  expect(takenAt(111)).toBe('l');
});
