import type { DispatchRound } from '#schemas/domain';
import { MAX_PLAN_ORDERS } from '#schemas/tensors';
import { randomRound } from '../../test/support/random-round';
import { placeDistance, startOfCourier } from '../routing/index';
import { generateCandidates, planningView, type PlanningView } from './index';

/** The rule of docs/producer-api.md, said once more and as plainly as it can be. */
function canMakeIt(view: PlanningView, index: number, bundle: readonly number[]): boolean {
  const { round, geometry, leastTravel } = view;
  const courier = round.couriers[index]!;
  const orders = bundle.map((order) => ({ place: order, ...round.orders[order]! }));
  const sizes = orders.map(({ size }) => size);
  const merged = round.policy.mergePickups;
  const load = merged ? sizes.reduce((a, b) => a + b, 0) : Math.max(...sizes);
  const isSkilled = orders.every(({ requiredSkills }) =>
    requiredSkills.every((skill) => courier.skills.includes(skill)),
  );
  if (courier.held.length + bundle.length > MAX_PLAN_ORDERS || load > courier.capacity || !isSkilled)
    return false;
  const restaurant = geometry.pickupPlace[bundle[0]!]!;
  const arrive =
    startOfCourier(round, index) + leastTravel(geometry.courierPlace[index]!, restaurant, courier.vehicle);
  const served = orders.map(({ known, readyAt, placedAt, pickup }) =>
    Math.max(arrive + pickup.preServiceSeconds, known.ready ? readyAt : Math.min(readyAt, placedAt)),
  );
  if (served.some((at) => at > courier.shiftEndsAt)) return false;
  return orders.every(({ place, latestDropoffAt, known, pickup, dropoff }, i) => {
    const leave =
      (merged ? Math.max(...served) : served[i]!) + (known.pickupWait ? pickup.postServiceSeconds : 0);
    const ride = leastTravel(restaurant, geometry.dropoffPlace[place]!, courier.vehicle);
    return latestDropoffAt === null || leave + ride + dropoff.preServiceSeconds <= latestDropoffAt;
  });
}

/** The couriers that a bundle is offered to: earliest pickup, then nearest, then by index. */
function offered(view: PlanningView, bundle: readonly number[]): number[] {
  const { round, geometry, travel } = view;
  const place = geometry.pickupPlace[bundle[0]!]!;
  const orders = bundle.map((order) => round.orders[order]!);
  const ready =
    Math.max(...orders.map(({ readyAt }) => readyAt)) -
    Math.max(...orders.map(({ pickup }) => pickup.preServiceSeconds));
  const near = round.couriers.flatMap((courier, index) => {
    const distance = placeDistance(geometry, geometry.courierPlace[index]!, place);
    if (distance > round.policy.candidateRadiusMetres) return [];
    const { at, place: from } = view.free[index]!;
    return [{ index, distance, arrival: at + travel(from, place, courier.vehicle) }];
  });
  near.sort(
    (a, b) =>
      Math.max(a.arrival, ready) - Math.max(b.arrival, ready) || a.distance - b.distance || a.index - b.index,
  );
  const able = near.filter(({ index }) => canMakeIt(view, index, bundle));
  const earliest = able.slice(0, round.policy.couriersPerBundle);
  const told = able.filter(({ index }) => wasTold(round, index, bundle));
  return [...new Set([...earliest, ...told].map(({ index }) => index))].sort((a, b) => a - b);
}

function wasTold(round: DispatchRound, courier: number, bundle: readonly number[]): boolean {
  const told = round.couriers[courier]!.tentativeOrderIds;
  return (
    told.length === bundle.length && bundle.every((order) => told.includes(round.orders[order]!.orderId))
  );
}

test('random rounds: every bundle is offered to the couriers of the rule, and to no other', () => {
  let bundles = 0;
  for (let seed = 1; seed <= 120; seed++) {
    const view = planningView(randomRound(seed));
    const byBundle = new Map<string, { bundle: readonly number[]; couriers: number[] }>();
    for (const { courier, bundle } of generateCandidates(view)) {
      const key = bundle.join();
      const entry = byBundle.get(key) ?? { bundle, couriers: [] };
      entry.couriers.push(courier);
      byBundle.set(key, entry);
    }
    for (const { bundle, couriers } of byBundle.values()) expect(couriers).toEqual(offered(view, bundle));
    bundles += byBundle.size;
  }
  expect(bundles).toBeGreaterThan(2_000);
});
