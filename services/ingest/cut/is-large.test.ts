import {
  buildCourier,
  buildOrder,
  buildPolicy,
  buildRound,
  buildStop,
} from '../../../test/support/build-round';
import { isLarge } from './is-large';

function roundOf(couriers: number, restaurants: number, each: number, maxOrders: number, disjoint = false) {
  const { bundles } = buildPolicy();
  const orders = Array.from({ length: restaurants * each }, (_, i) =>
    buildOrder(`o${i}`, { pickup: buildStop(`R${i % restaurants}`, 0, 0) }),
  );
  return buildRound({
    couriers: Array.from({ length: couriers }, (_, i) => buildCourier(`k${i}`)),
    orders,
    policy: buildPolicy({ couriersPerBundle: 10, bundles: { ...bundles, maxOrders, disjoint } }),
  });
}

test.each([
  ['no couriers', roundOf(0, 10, 10, 2), false],
  [
    'pairs: 100 restaurants × 10 bundles of their 4 orders × 10 couriers = 10,000',
    roundOf(50, 100, 4, 2),
    false,
  ],
  ['pairs: 100 × 15 of 5 × 10 = 15,000', roundOf(50, 100, 5, 2), false],
  ['pairs: 100 × 21 of 6 × 10 = 21,000', roundOf(50, 100, 6, 2), true],
  ['the same, disjoint: 600 × 10', roundOf(50, 100, 6, 2, true), false],
  ['the same with 5 couriers: 2,100 × 5', roundOf(5, 100, 6, 2), false],
  ['bundles of three: 2^10 × 10 = 10,240', roundOf(50, 1, 10, 3), false],
  ['bundles of three: 2^11 × 10', roundOf(50, 1, 11, 3), true],
  ['1,001 orders', roundOf(1, 1_001, 1, 1), true],
  ['300 restaurants × 700 couriers to rank', roundOf(700, 300, 1, 1), true],
])('%s', (_, round, expected) => expect(isLarge(round)).toBe(expected));

// Guards against some 200 ms on the event loop, in which other requests wait, for a round of few orders.
test.each([
  ['of known ready times', true, 60],
  ['one of which is not known', false, 20],
])('chains are searched for among at most so many orders %s', (_, ready, most) => {
  const chained = (count: number) => {
    const round = roundOf(5, count, 1, 1);
    const [first, ...others] = round.orders;
    const orders = [{ ...first!, known: { ...first!.known, ready } }, ...others];
    return { ...round, orders, policy: { ...round.policy, chains: { maxTrips: 3, maxOrders: 6 } } };
  };
  expect([isLarge(chained(most)), isLarge(chained(most + 1))]).toEqual([false, true]);
});
