import type { OrderId, Seconds } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import {
  buildCourier,
  buildOrder,
  buildPolicy,
  buildRound,
  buildStop,
} from '../../../test/support/build-round';
import { candidatesOf } from '../candidate-table';
import { candidateTable } from '../generate-candidates';
import { planningView } from '../planning-view';
import { chainCandidates } from './chain-candidates';

const seconds = (value: number) => value as Seconds;
/** Two restaurants 100 m apart on a line; homes behind them. */
const order = (id: string, restaurant: 'R' | 'S', readyAt = 0, changes: object = {}) =>
  buildOrder(id, {
    pickup: buildStop(restaurant, restaurant === 'R' ? 0 : 100, 0),
    dropoff: buildStop(`home-${id}`, restaurant === 'R' ? 50 : 150, 0),
    readyAt: seconds(readyAt),
    ...changes,
  });
const round = (changes: Partial<DispatchRound>, policy: object = {}) =>
  buildRound({
    couriers: [buildCourier('k')],
    policy: buildPolicy({ interleave: false, chains: { maxTrips: 3, maxOrders: 6 }, ...policy }),
    ...changes,
  });
const chainsOf = (of: DispatchRound) => {
  const held = new Set(of.couriers.flatMap(({ held }) => held.map(({ orderId }) => orderId)));
  const open = of.orders.flatMap(({ orderId }, i) => (held.has(orderId) ? [] : [i]));
  return chainCandidates(planningView(of), open).map(
    ({ courier, orders }) =>
      `${of.couriers[courier]!.courierId}:${orders.map((at) => of.orders[at]!.orderId).join('')}`,
  );
};

test('one courier and two restaurants: both orders, one trip after the other, in both directions', () => {
  const chains = chainsOf(round({ orders: [order('a', 'R'), order('b', 'S')] }));
  expect(chains).toEqual(expect.arrayContaining(['k:a', 'k:ab', 'k:b']));
});

test('without the rule there are none, and as many trips and orders as it allows', () => {
  const orders = [order('a', 'R'), order('b', 'S'), order('c', 'R', 10)];
  expect(chainsOf(round({ orders }, { chains: undefined }))).toEqual([]);
  const lengths = (chains: string[]) => new Set(chains.map((chain) => chain.length - 2));
  expect(lengths(chainsOf(round({ orders })))).toEqual(new Set([1, 2, 3]));
  expect(lengths(chainsOf(round({ orders }, { chains: { maxTrips: 3, maxOrders: 2 } })))).toEqual(
    new Set([1, 2]),
  );
  // One trip: a and c go together, b alone.
  const single = chainsOf(round({ orders }, { chains: { maxTrips: 1, maxOrders: 6 } }));
  expect(single.filter((chain) => /ab|ba|bc|cb/.test(chain))).toEqual([]);
});

test('orders of a trip keep to the rule of bundles', () => {
  // 700 s apart with 600 allowed; the courier goes twice, and S lies between.
  const orders = [order('a', 'R'), order('b', 'S', 300), order('c', 'R', 700)];
  const chains = chainsOf(round({ orders }));
  expect(chains).toContain('k:abc');
  expect(chains.filter((chain) => /ac|ca/.test(chain))).toEqual([]);
});

test('who lacks a skill, the room or the time gets no such chain', () => {
  const orders = [order('a', 'R', 0, { requiredSkills: ['cold'] }), order('b', 'S', 0, { size: 3 })];
  const couriers = [
    buildCourier('skilled', { skills: ['cold'], capacity: 2 }),
    buildCourier('roomy', { capacity: 3 }),
    buildCourier('late', { skills: ['cold'], availableAt: seconds(100), shiftEndsAt: seconds(99) }),
  ];
  const chains = new Set(chainsOf(round({ orders, couriers })));
  expect(chains).toEqual(new Set(['skilled:a', 'roomy:b']));
});

test('the search begins with what couriers were told, whoever is near', () => {
  const couriers = [
    buildCourier('near'),
    buildCourier('far', { position: { x: 5_000, y: 0 }, tentativeOrderIds: ['a', 'b'] as OrderId[] }),
  ];
  const chains = chainsOf(round({ orders: [order('a', 'R'), order('b', 'S')], couriers }));
  expect(chains[0]).toBe('far:ab');
  // Orders that are gone, held or told to two couriers are left out.
  const gone = [buildCourier('k', { tentativeOrderIds: ['gone', 'b', 'b2'] as OrderId[] })];
  expect(chainsOf(round({ orders: [order('b', 'S')], couriers: gone }))[0]).toBe('k:b');
});

test('an order beyond the guaranteed pay goes to the courier whose pay covers it', () => {
  const couriers = [
    buildCourier('paid', { coveredOrders: 0 }),
    buildCourier('covered', { coveredOrders: 1 }),
  ];
  const orders = [order('a', 'R')];
  expect(chainsOf(round({ orders, couriers }, { uncoveredOrderCost: 1 }))).toEqual(['covered:a']);
  expect(chainsOf(round({ orders, couriers }))).toEqual(['paid:a']);
});

test('the table has bundles and chains, each once, and as many as it may; equal rounds give equal tables', () => {
  const orders = [order('a', 'R'), order('b', 'S'), order('c', 'R', 10)];
  const couriers = [buildCourier('k'), buildCourier('l', { position: { x: 100, y: 0 } })];
  const view = planningView(round({ orders, couriers }));
  const rows = candidatesOf(candidateTable(view));
  const keys = rows.map(({ courier, bundle }) => `${courier} ${bundle.join(' ')}`);
  expect(new Set(keys).size).toBe(keys.length);
  // 4 bundles (a, b, c, ac) with 2 couriers each come first; a chain of one trip is a bundle.
  expect(keys.slice(0, 8).every((key) => !key.includes(' 1 ') && !key.endsWith(' 1 0'))).toBe(true);
  expect(keys.length).toBeGreaterThan(8);
  expect(candidatesOf(candidateTable(view, 9))).toEqual(rows.slice(0, 9));
  expect(candidateTable(planningView(round({ orders, couriers })))).toEqual(candidateTable(view));
});
