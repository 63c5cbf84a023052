import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from '../../test/support/build-round';
import type { OrderId } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import { SeededRandom } from '../assignment/seeded-random';
import { candidatesOf } from './candidate-table';
import { candidateTable, offerPlan, offersOf, packedTable, planningView, unpackedTable } from './index';

/** Restaurants of unequal numbers of orders, couriers that were told of some, sizes that split bundles. */
function randomRound(seed: number): DispatchRound {
  const random = new SeededRandom(seed * 7_919);
  const restaurants = 1 + random.below(9);
  const orders = Array.from({ length: random.below(30) }, (_, i) =>
    buildOrder(`o${i}`, {
      size: 1 + random.below(5),
      pickup: buildStop(`R${Math.floor(restaurants * random.unit() ** 2)}`, random.below(900), 0),
      dropoff: buildStop(`D${i}`, random.below(900), random.below(900)),
    }),
  );
  const couriers = Array.from({ length: random.below(8) }, (_, i) =>
    buildCourier(`k${i}`, {
      position: { x: random.below(900), y: 0 },
      capacity: 1 + random.below(9),
      tentativeOrderIds:
        orders.length > 0 && i % 3 === 0 ? [`o${random.below(orders.length)}` as OrderId] : [],
    }),
  );
  const bundles = { ...buildPolicy().bundles, maxOrders: 1 + random.below(3), disjoint: seed % 2 === 0 };
  return buildRound({
    orders,
    couriers,
    policy: buildPolicy({ bundles, couriersPerBundle: 1 + random.below(4) }),
  });
}

test('of 300 rounds, the parts that others offered, sent as arrays, are together the whole table', () => {
  let compared = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const view = planningView(randomRound(seed));
    const most = seed % 5 === 0 ? 20 : 1_000;
    const whole = candidatesOf(candidateTable(view, most));
    compared += whole.length;
    for (const parts of [1, 2, 3, 5]) {
      const plan = offerPlan(view, most);
      const offered = Array.from({ length: parts }, (_, part) =>
        unpackedTable(structuredClone(packedTable(offersOf(planningView(view.round), plan, part, parts)))),
      );
      expect(candidatesOf(candidateTable(view, most, plan, offered))).toEqual(whole);
    }
  }
  expect(compared).toBeGreaterThan(5_000);
});
