import type { OrderId, Seconds } from '#schemas/brands';
import type { CommitmentStage, Courier, CourierMove, DispatchRound, PlannedStop } from '#schemas/domain';

/** How the plan approaches its new orders: the first pickup with a new order, and when the courier sets out to it. */
interface Approach {
  readonly pickups: readonly PlannedStop[];
  readonly first: PlannedStop;
  readonly setsOutAt: Seconds;
}

function approachOf(
  stops: readonly PlannedStop[],
  courier: Courier,
  newOrderIds: readonly OrderId[],
): Approach | null {
  const fresh = new Set(newOrderIds);
  const isNewPickup = (stop: PlannedStop) =>
    stop.kind === 'pickup' && stop.orderIds.some((id) => fresh.has(id));
  const firstIndex = stops.findIndex(isNewPickup);
  const first = stops[firstIndex];
  if (first === undefined) return null;
  const setsOutAt = stops[firstIndex - 1]?.departAt ?? courier.availableAt;
  return { pickups: stops.filter(isNewPickup), first, setsOutAt };
}

/**
 * A known ready time speaks for itself; otherwise a pickup served within f, or at once, was ready by then. The walk-in
 * counts: a courier that comes at the limit can't be served before it is over.
 */
function isReadyBy(
  pickup: PlannedStop,
  round: DispatchRound,
  newOrderIds: ReadonlySet<string>,
  limit: number,
) {
  const orders = round.orders.filter(
    (o) => newOrderIds.has(o.orderId) && pickup.orderIds.includes(o.orderId),
  );
  const preService = orders.reduce((most, order) => Math.max(most, order.pickup.preServiceSeconds), 0);
  const wasAtOnce = pickup.servedAt <= Math.max(limit, pickup.arriveAt) + preService;
  return orders.every((order) => (order.known.ready ? order.readyAt <= limit + preService : wasAtOnce));
}

/**
 * Two-stage commitment of Reyes et al. (2018), generalised to couriers that hold orders. With horizon f:
 * `final` when the courier reaches the first pickup of its new orders within f of asOf and all of them
 * are ready when it has walked in there, were it to come at f; `partial` (drive there, the set stays open) when it
 * can set out to that pickup before f; else `tentative` (the next round decides again). No horizon, or no new
 * orders: `final`.
 */
export function commitmentStage(
  stops: readonly PlannedStop[],
  round: DispatchRound,
  courier: Courier,
  newOrderIds: readonly OrderId[],
): CommitmentStage {
  const horizon = round.policy.commitHorizonSeconds;
  if (horizon === null || newOrderIds.length === 0) return 'final';
  const approach = approachOf(stops, courier, newOrderIds);
  const limit = round.asOf + horizon;
  if (approach === null) return 'final';
  const fresh = new Set<string>(newOrderIds);
  const allReady = approach.pickups.every((pickup) => isReadyBy(pickup, round, fresh, limit));
  if (approach.first.arriveAt <= limit && allReady) return 'final';
  return approach.setsOutAt < limit ? 'partial' : 'tentative';
}

/** The drive that a partial commitment stands for: to the first pickup of the new orders, set open. */
export function partialMove(
  stops: readonly PlannedStop[],
  round: DispatchRound,
  courier: Courier,
  newOrderIds: readonly OrderId[],
): CourierMove | null {
  const approach = approachOf(stops, courier, newOrderIds);
  if (approach === null) return null;
  const departAt = Math.max(round.asOf, approach.setsOutAt) as Seconds;
  return { courierId: courier.courierId, placeId: approach.first.placeId, departAt };
}
