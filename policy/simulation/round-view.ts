import type { PlaceId, Seconds } from '#schemas/brands';
import type { Courier, Order } from '#schemas/domain';
import type { DayCourier, RoundView } from './day';
import type { DayState } from './day-state';
import { expectedDemand } from './expected-demand';

/** What the dispatcher knows at `asOf` of a state advanced to it. */
export function viewAt(state: DayState, asOf: Seconds): RoundView {
  const { day } = state;
  const couriers = [...state.runs.values()]
    .filter(({ courier }) => courier.onAt <= asOf + day.shiftLookaheadSeconds)
    .map((run) => ({ ...run.seen(asOf, day.couriersAre), ...toldAndPaid(state, run.courier) }))
    .filter((courier) => courier.held.length > 0 || courier.availableAt <= courier.shiftEndsAt);
  const held = couriers.flatMap((courier) => courier.held.map(({ orderId }) => state.given.get(orderId)!));
  const offered = [...state.open.values()].filter((order) => isOffered(state, order, asOf));
  const openAt = openOrdersByPlace(state, asOf);
  return {
    asOf,
    couriers,
    orders: [...offered, ...held].map((order) => asKnown(state, order, asOf, openAt)),
    ...(day.demand && { demand: expectedDemand(state.placed, asOf, day.demand) }),
  };
}

function toldAndPaid(
  { told, ordersGiven }: DayState,
  { courierId, coveredOrders }: DayCourier,
): Pick<Courier, 'tentativeOrderIds' | 'coveredOrders'> {
  const tentativeOrderIds = told.get(courierId) ?? [];
  if (coveredOrders === undefined) return { tentativeOrderIds };
  return {
    tentativeOrderIds,
    coveredOrders: Math.max(0, coveredOrders - (ordersGiven.get(courierId) ?? 0)),
  };
}

function isOffered({ day }: DayState, order: Order, asOf: Seconds): boolean {
  return day.offerHorizonSeconds === null || order.readyAt <= asOf + day.offerHorizonSeconds;
}

function openOrdersByPlace(state: DayState, asOf: Seconds): Map<PlaceId, number> {
  const counts = new Map<PlaceId, number>();
  for (const { orderId, pickup } of [...state.open.values(), ...state.given.values()]) {
    if (!state.log.isPickedUp(orderId, asOf))
      counts.set(pickup.placeId, (counts.get(pickup.placeId) ?? 0) + 1);
  }
  return counts;
}

/** A meal that is ready by `asOf` is known to be; before that the merchant's estimate stands. */
function asKnown(state: DayState, order: Order, asOf: Seconds, openAt: ReadonlyMap<PlaceId, number>): Order {
  const timesDeferred = state.deferrals.get(order.orderId) ?? 0;
  const features = { ...order.features, merchantOpenOrders: openAt.get(order.pickup.placeId) ?? 0 };
  const readyAt = order.known.ready ? order.readyAt : state.day.truth.readyAt(order);
  if (order.known.ready || readyAt > asOf) return { ...order, timesDeferred, features };
  return { ...order, timesDeferred, features, readyAt, known: { ...order.known, ready: true } };
}
