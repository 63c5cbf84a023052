import type { OrderId, Seconds } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import { buildCourier, buildOrder, buildPolicy, buildRound, buildStop } from './build-round';

const skills = ['a', 'b'];
const vehicles = ['walk', 'bike', 'scooter', 'car'] as const;

/** A small valid round with every kind of constraint and policy. The same seed gives the same round. */
export function randomRound(seed: number): DispatchRound {
  let state = 1 + seed;
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  const seconds = (value: number) => value as Seconds;
  const extent = [500, 3_000, 10_000][below(3)]!;
  const spot = () => [below(extent), below(extent)] as const;
  const restaurants = Array.from({ length: 1 + below(8) }, (_, i) =>
    buildStop(`r${i}`, ...spot(), { preServiceSeconds: seconds(30 * below(3)) }),
  );
  const hasSkills = below(3) === 0;
  const hasLatest = below(2) === 0;
  const orders = Array.from({ length: 10 + below(40) }, (_, i) => {
    const readyAt = below(1_800);
    return buildOrder(`o${i}`, {
      pickup: { ...restaurants[below(restaurants.length)]!, postServiceSeconds: seconds(below(90)) },
      dropoff: buildStop(`h${below(30)}`, ...spot(), { preServiceSeconds: seconds(below(60)) }),
      placedAt: seconds(-below(600)),
      readyAt: seconds(readyAt),
      promisedAt: seconds(readyAt + below(3_000)),
      latestDropoffAt: hasLatest && below(2) === 0 ? seconds(readyAt + 300 + below(3_000)) : null,
      size: below(4),
      requiredSkills: hasSkills && below(3) === 0 ? [skills[below(2)]!] : [],
      known: { ready: below(2) === 0, pickupWait: below(2) === 0, handover: true },
    });
  });
  let next = 0;
  const couriers = Array.from({ length: 3 + below(25) }, (_, i) => {
    const count = Math.min(below(4), orders.length - next);
    const held = orders
      .slice(next, next + count)
      .map(({ orderId }) => ({ orderId, onBoard: below(2) === 0 }));
    next += count;
    const [x, y] = spot();
    return buildCourier(`k${i}`, {
      position: { x, y },
      availableAt: seconds(below(1_200) - 300),
      shiftEndsAt: seconds(below(7_200)),
      vehicle: vehicles[below(4)]!,
      capacity: 1 + below(12),
      skills: skills.filter(() => below(2) === 0),
      held,
      tentativeOrderIds: below(4) > 0 ? [] : [`o${below(orders.length)}` as OrderId],
    });
  });
  const policy = buildPolicy({
    candidateRadiusMetres: [800, 4_000, 100_000][below(3)]!,
    couriersPerBundle: [1, 3, 10][below(3)]!,
    bundles: {
      maxOrders: 1 + below(4),
      maxReadySpreadSeconds: seconds(below(1_200)),
      maxDropoffSpreadMetres: below(6_000),
      disjoint: below(3) === 0,
    },
    interleave: below(2) === 0,
    mergePickups: below(2) === 0,
  });
  return buildRound({ couriers, orders, policy });
}
