import type { OrderId, PlaceId, Seconds } from '#schemas/brands';
import type { Assignment, DemandPlace, DispatchRound } from '#schemas/domain';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import { prepositioningMoves } from './prepositioning-moves';

const seconds = (value: number) => value as Seconds;
const rule = { maxRideSeconds: seconds(700), minShiftLeftSeconds: seconds(600) };
const expects = (placeId: string, x: number, weight: number): DemandPlace => ({
  placeId: placeId as PlaceId,
  point: { x, y: 0 },
  weight,
});
/** On foot a metre is a second. */
const round = (changes: Partial<DispatchRound>) =>
  buildRound({ policy: buildPolicy({ prepositioning: rule }), asOf: seconds(100), ...changes });
const movesOf = (of: DispatchRound, assignments: readonly Assignment[] = []) =>
  prepositioningMoves(of, assignments).map(({ courierId, placeId, departAt }) => [
    courierId,
    placeId,
    departAt,
  ]);

test('of two couriers at one place one goes to where nobody is', () => {
  const demand = [expects('R', 0, 4_000), expects('S', 600, 4_000)];
  const couriers = [buildCourier('k'), buildCourier('l')];
  expect(movesOf(round({ demand, couriers }))).toEqual([['k', 'S', 100]]);
});

test('nobody goes where little is expected, too far, or near the end of a shift', () => {
  const couriers = [buildCourier('k'), buildCourier('l')];
  const at = (x: number, weight: number) => [expects('R', 0, 4_000), expects('S', x, weight)];
  expect(movesOf(round({ demand: at(600, 10), couriers }))).toEqual([]);
  expect(movesOf(round({ demand: at(701, 4_000), couriers }))).toEqual([]);
  // There at 100 + 600 with 599 s left.
  const late = couriers.map((courier) => ({ ...courier, shiftEndsAt: seconds(1_299) }));
  expect(movesOf(round({ demand: at(600, 4_000), couriers: late }))).toEqual([]);
});

test('a courier with a plan, with stops or not free yet stays with what it has', () => {
  const demand = [expects('R', 0, 4_000), expects('S', 600, 4_000)];
  const order = buildOrder('a', { dropoff: buildStop('H', 10, 0) });
  const couriers = [
    buildCourier('planned'),
    buildCourier('holds', { held: [{ orderId: 'a' as OrderId, onBoard: true }] }),
    buildCourier('later', { availableAt: seconds(101) }),
    buildCourier('idle'),
  ];
  const stop = { orderIds: ['a' as OrderId], placeId: 'H' as PlaceId, arriveAt: seconds(110) };
  const planned: Assignment = {
    courierId: couriers[0]!.courierId,
    orderIds: [],
    stops: [{ ...stop, kind: 'dropoff', servedAt: seconds(110), departAt: seconds(110) }],
    cost: 0n,
    unproven: false,
    stage: 'tentative',
  };
  expect(movesOf(round({ demand, couriers, orders: [order] }), [planned])).toEqual([['idle', 'S', 100]]);
});

test('none without the rule, without demand or without couriers', () => {
  const demand = [expects('S', 600, 4_000)];
  const couriers = [buildCourier('k')];
  expect(movesOf(round({ demand, couriers, policy: buildPolicy() }))).toEqual([]);
  expect(movesOf(round({ couriers }))).toEqual([]);
  expect(movesOf(round({ demand: [], couriers }))).toEqual([]);
  expect(movesOf(round({ demand }))).toEqual([]);
});
