import type { DispatchRound } from '#schemas/domain';
import type { OrderId, Seconds } from '#schemas/brands';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import {
  orderIndices,
  roundGeometry,
  statedOrderTimes,
  stopsOfCandidate,
  travelTime,
  walkPlan,
} from './index';

const seconds = (value: number) => value as Seconds;

function walk(round: DispatchRound, bundle: number[], sequence: number[]) {
  const geometry = roundGeometry(round);
  const stops = stopsOfCandidate(round, geometry, orderIndices(round), 0, bundle);
  const travel = travelTime(round, geometry);
  return walkPlan({ round, geometry, travel, times: statedOrderTimes(round), courier: 0, stops, sequence });
}

function numbered(round: DispatchRound, bundle: number[]) {
  const stops = stopsOfCandidate(round, roundGeometry(round), orderIndices(round), 0, bundle);
  return stops.map(({ kind, orders }) => `${kind} ${orders.join('+')}`);
}

const held = (id: string, onBoard: boolean) => ({ orderId: id as OrderId, onBoard });

describe('stop numbers', () => {
  const orders = [
    buildOrder('a'),
    buildOrder('b'),
    buildOrder('c', { pickup: buildStop('S', 500, 0) }),
    buildOrder('d'),
  ];
  const courier = buildCourier('k', { held: [held('d', false), held('c', true)] });

  test('held orders come first; one on board has no pickup; one restaurant is one stop', () => {
    // With interleaving all orders are one group: a and b join the pickup that held order d (3) opened.
    const round = buildRound({ orders, couriers: [courier] });
    expect(numbered(round, [0, 1])).toEqual([
      'pickup 3+0+1',
      'dropoff 3',
      'dropoff 2',
      'dropoff 0',
      'dropoff 1',
    ]);
  });

  test('without interleaving the bundle opens its own pickup', () => {
    const round = buildRound({ orders, couriers: [courier], policy: buildPolicy({ interleave: false }) });
    expect(numbered(round, [0, 1])).toEqual([
      'pickup 3',
      'dropoff 3',
      'dropoff 2',
      'pickup 0+1',
      'dropoff 0',
      'dropoff 1',
    ]);
  });

  test('without merging every order has its pickup', () => {
    const round = buildRound({ orders, couriers: [courier], policy: buildPolicy({ mergePickups: false }) });
    expect(numbered(round, [0])).toEqual(['pickup 3', 'dropoff 3', 'dropoff 2', 'pickup 0', 'dropoff 0']);
  });

  test('in a round of chains another restaurant begins another trip, and coming back to one is a trip, too', () => {
    const policy = buildPolicy({ interleave: false, chains: { maxTrips: 3, maxOrders: 6 } });
    const round = buildRound({ orders, couriers: [buildCourier('k')], policy });
    const stops = ['pickup 0+1', 'dropoff 0', 'dropoff 1', 'pickup 2', 'dropoff 2', 'pickup 3', 'dropoff 3'];
    expect(numbered(round, [0, 1, 2, 3])).toEqual(stops);
    expect(walk(round, [0, 1, 2, 3], [1, 3, 2, 4, 5, 6, 7]).feasible).toBe(true);
    // Order c is picked up while b is on board.
    expect(walk(round, [0, 1, 2, 3], [1, 2, 4, 3, 5, 6, 7]).feasible).toBe(false);
  });

  test('two restaurants at one spot are two stops', () => {
    const twins = [buildOrder('a'), buildOrder('b', { pickup: buildStop('R2', 0, 0) })];
    const round = buildRound({ orders: twins, couriers: [buildCourier('k')] });
    expect(numbered(round, [0, 1])).toEqual(['pickup 0', 'dropoff 0', 'pickup 1', 'dropoff 1']);
  });
});

test('a walk waits for ready, adds services before and after, and costs lateness, duration and freshness', () => {
  const order = buildOrder('a', {
    pickup: buildStop('R', 300, 400, { preServiceSeconds: seconds(20), postServiceSeconds: seconds(30) }),
    dropoff: buildStop('H', 300, 0, { preServiceSeconds: seconds(5), postServiceSeconds: seconds(7) }),
    readyAt: seconds(1_600),
    promisedAt: seconds(2_000),
  });
  const courier = buildCourier('k', { availableAt: seconds(1_050) });
  const round = buildRound({ asOf: seconds(1_000), orders: [order], couriers: [courier] });
  const { stops, cost, feasible } = walk(round, [0], [1, 2]);
  // Start 1,050; 500 m at 1 m/s: arrive 1,550, + 20 = 1,570, ready 1,600, + 30 = leave 1,630.
  // 400 m: arrive 2,030, + 5 = served 2,035, + 7 = leave 2,042.
  expect(stops.map(({ arriveAt, servedAt, departAt }) => [arriveAt, servedAt, departAt])).toEqual([
    [1_550, 1_600, 1_630],
    [2_030, 2_035, 2_042],
  ]);
  // 100 · (2,035 − 2,000) + 1 · (2,042 − 1,050) + 10 · (2,035 − 1,600) = 3,500 + 992 + 4,350.
  expect(cost).toBe(8_842n);
  expect(feasible).toBe(true);
});

test('a merged pickup is ready with its last order and takes the largest services', () => {
  const stop = (pre: number, post: number) =>
    buildStop('R', 0, 0, { preServiceSeconds: seconds(pre), postServiceSeconds: seconds(post) });
  const orders = [
    buildOrder('a', { pickup: stop(10, 5), readyAt: seconds(4) }),
    buildOrder('b', { pickup: stop(2, 50), readyAt: seconds(12) }),
  ];
  const round = buildRound({ orders, couriers: [buildCourier('k')] });
  const { stops } = walk(round, [0, 1], [1, 2, 3]);
  // Pre-service max(10, 2) = 10, ready max(4, 12) = 12, post-service max(5, 50) = 50.
  expect(stops[0]).toMatchObject({ arriveAt: 0, servedAt: 12, departAt: 62, orderIds: ['a', 'b'] });
});

test('a courier that was free before asOf starts at asOf', () => {
  const round = buildRound({ asOf: seconds(500), orders: [buildOrder('a')], couriers: [buildCourier('k')] });
  expect(walk(round, [0], [1, 2]).stops[0]!.arriveAt).toBe(500);
});

describe('what makes a plan infeasible', () => {
  const infeasible = (round: DispatchRound, bundle: number[], sequence: number[]) =>
    expect(walk(round, bundle, sequence).feasible).toBe(false);
  const one = (order: object, courier: object = {}) =>
    buildRound({ orders: [buildOrder('a', order)], couriers: [buildCourier('k', courier)] });

  test('a pickup after the shift', () => infeasible(one({ readyAt: 10 }, { shiftEndsAt: 9 }), [0], [1, 2]));
  test('a drop-off after its latest time', () => infeasible(one({ latestDropoffAt: 99 }), [0], [1, 2])); // 100 m take 100 s
  test('too much on board', () => infeasible(one({ size: 5 }), [0], [1, 2])); // capacity 4
  test('a vehicle without a speed, also where it need not go', () => {
    const metresPerHour = { walk: 0, bike: 1, scooter: 1, car: 1 };
    const policy = buildPolicy({
      travel: { kind: 'speed', metresPerHour, quantumSeconds: seconds(1), known: true },
    });
    const round = (x: number) => ({ ...one({}, { position: { x, y: 0 } }), policy });
    for (const x of [0, 50]) expect(walk(round(x), [0], [1, 2])).toMatchObject({ feasible: false, cost: 0n });
  });
  test('a drop-off before its pickup', () => infeasible(one({}), [0], [2, 1]));
  test('a held stop after one of the bundle, without interleaving', () => {
    const round = buildRound({
      policy: buildPolicy({ interleave: false }),
      orders: [buildOrder('a'), buildOrder('b')],
      couriers: [buildCourier('k', { held: [held('b', true)] })],
    });
    expect(walk(round, [0], [1, 2, 3]).feasible).toBe(true);
    infeasible(round, [0], [2, 1, 3]);
  });
});
