import { MAX_PLAN_ORDERS } from '#schemas/tensors';
import { startOfCourier } from '../routing/index';
import type { Bundle } from './bundle-rule';
import { leastReady, type PlanningView } from './planning-view';

/**
 * Hard constraints of a courier and a bundle. False only where no plan can keep them: skills, capacity,
 * orders in the plan, shift end and latest drop-offs by bounds that no prediction undercuts. What is
 * left is decided by the walk itself.
 */
export function canMakeIt(view: PlanningView, courierIndex: number, bundle: Bundle): boolean {
  const courier = view.round.couriers[courierIndex]!;
  if (courier.held.length + bundle.length > MAX_PLAN_ORDERS) return false;
  for (const index of bundle) {
    const order = view.round.orders[index]!;
    if (order.requiredSkills.some((skill) => !courier.skills.includes(skill))) return false;
  }
  return fits(view, courier.capacity, bundle) && inTime(view, courierIndex, bundle);
}

/** Merged orders are on board together; others may be taken one after the other. */
function fits({ round }: PlanningView, capacity: number, bundle: Bundle): boolean {
  let largest = 0;
  let total = 0;
  for (const index of bundle) {
    const { size } = round.orders[index]!;
    largest = Math.max(largest, size);
    total += size;
  }
  return (round.policy.mergePickups ? total : largest) <= capacity;
}

/** With a matrix a detour may be faster than the straight way, so only a single direct trip is bounded. */
function inTime(view: PlanningView, courierIndex: number, bundle: Bundle): boolean {
  const { round, geometry, leastTravel } = view;
  const courier = round.couriers[courierIndex]!;
  const bounded = round.policy.travel.kind === 'speed' || (bundle.length === 1 && courier.held.length === 0);
  if (!bounded) return true;
  const place = geometry.pickupPlace[bundle[0]!]!;
  const arrive =
    startOfCourier(round, courierIndex) +
    leastTravel(geometry.courierPlace[courierIndex]!, place, courier.vehicle);
  let leave = arrive;
  for (const index of bundle) {
    const order = round.orders[index]!;
    const served = Math.max(arrive + order.pickup.preServiceSeconds, leastReady(round, order));
    if (served + round.asOf > courier.shiftEndsAt) return false;
    leave = round.policy.mergePickups ? Math.max(leave, served) : leave;
    if (!round.policy.mergePickups && !dropsInTime(view, courierIndex, index, served)) return false;
  }
  return !round.policy.mergePickups || bundle.every((index) => dropsInTime(view, courierIndex, index, leave));
}

function dropsInTime(view: PlanningView, courierIndex: number, index: number, pickedUpAt: number): boolean {
  const { round, geometry, leastTravel } = view;
  const order = round.orders[index]!;
  if (order.latestDropoffAt === null) return true;
  const service = order.known.pickupWait ? order.pickup.postServiceSeconds : 0;
  const ride = leastTravel(
    geometry.pickupPlace[index]!,
    geometry.dropoffPlace[index]!,
    round.couriers[courierIndex]!.vehicle,
  );
  const served = pickedUpAt + service + ride + order.dropoff.preServiceSeconds;
  return served + round.asOf <= order.latestDropoffAt;
}
