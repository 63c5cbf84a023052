import type { OrderId, PlaceId, Seconds } from '#schemas/brands';
import type { Courier, DispatchRound, Order, RoundPolicy } from '#schemas/domain';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import { generateCandidates, planningView } from './index';

const seconds = (value: number) => value as Seconds;
const bundles = (changes: Partial<RoundPolicy['bundles']>) => ({ ...buildPolicy().bundles, ...changes });

function candidates(round: DispatchRound, max?: number): string[] {
  return generateCandidates(planningView(round), max).map(
    ({ courier, bundle }) =>
      `${round.couriers[courier]!.courierId}:${bundle.map((i) => round.orders[i]!.orderId).join('+')}`,
  );
}

function oneOrder(order: Partial<Order>, courier: Partial<Courier>, policy: Partial<RoundPolicy> = {}) {
  return candidates(
    buildRound({
      orders: [buildOrder('a', order)],
      couriers: [buildCourier('k', courier)],
      policy: buildPolicy(policy),
    }),
  );
}

const at = (x: number) => ({ position: { x, y: 0 } });

test('a round without couriers, without orders or with neither has no candidates', () => {
  expect(candidates(buildRound({ orders: [buildOrder('a')] }))).toEqual([]);
  expect(candidates(buildRound({ couriers: [buildCourier('k')] }))).toEqual([]);
  expect(candidates(buildRound())).toEqual([]);
});

describe('hard constraints', () => {
  test('the radius includes its end', () => {
    expect(oneOrder({}, at(500), { candidateRadiusMetres: 500 })).toEqual(['k:a']);
    expect(oneOrder({}, at(501), { candidateRadiusMetres: 500 })).toEqual([]);
  });
  test('skills', () => {
    expect(oneOrder({ requiredSkills: ['alcohol'] }, { skills: ['cold'] })).toEqual([]);
    expect(oneOrder({ requiredSkills: ['alcohol'] }, { skills: ['cold', 'alcohol'] })).toEqual(['k:a']);
  });
  test('capacity', () => {
    expect(oneOrder({ size: 4 }, { capacity: 4 })).toEqual(['k:a']);
    expect(oneOrder({ size: 5 }, { capacity: 4 })).toEqual([]);
  });
  test('a vehicle whose speed is 0', () => {
    const travel = {
      ...buildPolicy().travel,
      kind: 'speed' as const,
      metresPerHour: { walk: 0, bike: 1, scooter: 1, car: 1 },
    };
    expect(oneOrder({}, {}, { travel })).toEqual([]);
  });
  test('the end of the shift: 300 m on foot take 300 s', () => {
    expect(oneOrder({}, { ...at(300), shiftEndsAt: seconds(300) })).toEqual(['k:a']);
    expect(oneOrder({}, { ...at(300), shiftEndsAt: seconds(299) })).toEqual([]);
  });
  test('the latest drop-off: 300 m there and 100 m on take 400 s', () => {
    expect(oneOrder({ latestDropoffAt: seconds(400) }, at(300))).toEqual(['k:a']);
    expect(oneOrder({ latestDropoffAt: seconds(399) }, at(300))).toEqual([]);
  });
  test('predicted times do not rule out what a fast ride could still make', () => {
    // Factor 0.5 at the least: 400 m in 200 s.
    const travel = { ...buildPolicy().travel, known: false };
    expect(oneOrder({ latestDropoffAt: seconds(200) }, at(300), { travel })).toEqual(['k:a']);
    expect(oneOrder({ latestDropoffAt: seconds(199) }, at(300), { travel })).toEqual([]);
  });
  test('a plan has eight orders at most, held ones included', () => {
    const orders = Array.from({ length: 9 }, (_, i) => buildOrder(`o${i}`));
    const held = (count: number) =>
      orders.slice(0, count).map(({ orderId }) => ({ orderId, onBoard: false }));
    const round = (count: number) =>
      buildRound({ orders, couriers: [buildCourier('k', { capacity: 20, held: held(count) })] });
    expect(candidates(round(7))).toEqual(['k:o7', 'k:o8']); // the pair would be a plan of 9
    expect(candidates(round(8))).toEqual([]);
  });
});

test('cancelled and held orders are not offered', () => {
  const round = buildRound({
    orders: [buildOrder('a'), buildOrder('b'), buildOrder('c')],
    couriers: [buildCourier('k', { held: [{ orderId: 'b' as OrderId, onBoard: true }] })],
    cancelledOrderIds: ['c' as OrderId],
  });
  expect(candidates(round)).toEqual(['k:a']);
});

describe('nearest couriers', () => {
  const couriers = [
    buildCourier('later', { availableAt: seconds(200) }), // there at 200
    buildCourier('far', at(150)), // there at 150
    buildCourier('near', at(50)), // there at 50
    buildCourier('twin', at(-50)), // there at 50, behind `near` by index
  ];
  const of = (readyAt: number, couriersPerBundle: number) =>
    candidates(
      buildRound({
        couriers,
        orders: [buildOrder('a', { readyAt: seconds(readyAt) })],
        policy: buildPolicy({ couriersPerBundle }),
      }),
    );

  test('are those that can pick up earliest', () => {
    expect(of(0, 1)).toEqual(['near:a']);
    expect(of(0, 2)).toEqual(['near:a', 'twin:a']);
    expect(of(0, 3)).toEqual(['far:a', 'near:a', 'twin:a']);
  });
  test('among those there before it is ready, by distance', () => {
    // Ready at 200: `later` stands at the restaurant (0 m), the others come next by distance.
    expect(of(200, 1)).toEqual(['later:a']);
    expect(of(200, 3)).toEqual(['later:a', 'near:a', 'twin:a']);
  });
});

describe('bundles', () => {
  const home = (x: number) => buildStop('home', x, 0);
  const orders = [
    buildOrder('a', { dropoff: home(0) }),
    buildOrder('b', { dropoff: home(1_000), readyAt: seconds(300) }),
    buildOrder('c', { dropoff: home(2_500), readyAt: seconds(600) }),
    buildOrder('s', { pickup: { ...buildStop('S', 0, 0), placeId: 'S' as PlaceId } }),
  ];
  const of = (changes: Partial<RoundPolicy['bundles']>) =>
    candidates(
      buildRound({
        orders,
        couriers: [buildCourier('k')],
        policy: buildPolicy({ bundles: bundles(changes) }),
      }),
    );

  test('overlapping: every set of one restaurant within both spreads', () => {
    // a–b 1,000 m and 300 s; b–c 1,500 m and 300 s; a–c 2,500 m is too wide.
    expect(of({ maxOrders: 3 })).toEqual(['k:a', 'k:b', 'k:c', 'k:a+b', 'k:b+c', 'k:s']);
  });
  test('the ready spread includes its end', () => {
    expect(of({ maxReadySpreadSeconds: seconds(299) })).toEqual(['k:a', 'k:b', 'k:c', 'k:s']);
  });
  test('a wide rule gives triples, and maxOrders bounds them', () => {
    const wide = { maxDropoffSpreadMetres: 9_999 };
    expect(of({ ...wide, maxOrders: 3 })).toContain('k:a+b+c');
    expect(of({ ...wide, maxOrders: 2 })).not.toContain('k:a+b+c');
    expect(of({ ...wide, maxOrders: 1 })).toEqual(['k:a', 'k:b', 'k:c', 'k:s']);
  });
  test('disjoint: every order once, each with the nearest bundle', () => {
    expect(of({ disjoint: true })).toEqual(['k:a+b', 'k:c', 'k:s']);
  });
  test('a disjoint bundle that nobody can take falls apart', () => {
    const round = buildRound({
      orders: [buildOrder('a', { readyAt: seconds(10) }), buildOrder('b', { readyAt: seconds(20) })],
      couriers: [buildCourier('k', { shiftEndsAt: seconds(15) })],
      policy: buildPolicy({ bundles: bundles({ disjoint: true }) }),
    });
    // Together they are ready at 20, after the shift; a alone at 10 is not.
    expect(candidates(round)).toEqual(['k:a']);
  });
  test('orders that only one courier could carry together are no bundle for the others', () => {
    const round = buildRound({
      orders: [buildOrder('a', { size: 3 }), buildOrder('b', { size: 3 })],
      couriers: [buildCourier('k'), buildCourier('big', { capacity: 6 })],
    });
    expect(candidates(round)).toEqual(['k:a', 'big:a', 'k:b', 'big:b', 'big:a+b']);
  });
});

test('the courier that was told of a bundle stays a candidate beyond the count', () => {
  const round = buildRound({
    orders: [buildOrder('a')],
    couriers: [
      buildCourier('near'),
      buildCourier('told', { ...at(900), tentativeOrderIds: ['a' as OrderId] }),
    ],
    policy: buildPolicy({ couriersPerBundle: 1 }),
  });
  expect(candidates(round)).toEqual(['near:a', 'told:a']);
});

test('above the largest number of candidates couriers a bundle fall first, then the largest bundles go', () => {
  const round = buildRound({
    orders: [buildOrder('a'), buildOrder('b')],
    couriers: [buildCourier('k'), buildCourier('l')],
  });
  expect(candidates(round)).toHaveLength(6); // 3 bundles · 2 couriers
  expect(candidates(round, 5)).toEqual(['k:a', 'k:b', 'k:a+b']);
  expect(candidates(round, 2)).toEqual(['k:a', 'k:b']);
});

test('1,000 couriers and 2,000 orders give the same candidates twice', () => {
  let state = 7;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  const round = buildRound({
    couriers: Array.from({ length: 1_000 }, (_, i) =>
      buildCourier(`k${i}`, { position: { x: random(10_000), y: random(10_000) }, vehicle: 'bike' }),
    ),
    orders: Array.from({ length: 2_000 }, (_, i) => {
      const restaurant = random(300);
      return buildOrder(`o${i}`, {
        pickup: buildStop(`r${restaurant}`, (restaurant * 7_919) % 10_000, (restaurant * 104_729) % 10_000),
        dropoff: buildStop(`h${i}`, random(10_000), random(10_000)),
        readyAt: seconds(random(1_800)),
      });
    }),
    policy: buildPolicy({ candidateRadiusMetres: 4_000 }),
  });
  const first = candidates(round);
  expect(first.length).toBeGreaterThan(20_000); // 2,000 single orders · 10 couriers, and pairs
  expect(candidates(round)).toEqual(first);
});

test('hundreds of orders of one restaurant are bundled within bounds', () => {
  const round = buildRound({
    couriers: [buildCourier('k', { capacity: 10 })],
    orders: Array.from({ length: 600 }, (_, i) => buildOrder(`o${i}`, { readyAt: seconds(i % 500) })),
    policy: buildPolicy({ bundles: bundles({ maxOrders: 6, maxReadySpreadSeconds: seconds(9_999) }) }),
  });
  const all = generateCandidates(planningView(round), 12_000);
  // Every order alone, and of each size from 2 to 6 the 12,000 / 6 tightest.
  const count = (size: number) => all.filter(({ bundle }) => bundle.length === size).length;
  expect(count(1)).toBe(600);
  expect(count(2)).toBe(2_000);
  expect(all).toHaveLength(600 + 5 * 2_000);
});
