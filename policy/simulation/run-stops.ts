import type { OrderId, Seconds } from '#schemas/brands';
import type { Assignment, Courier, CourierMove, Order, PlannedStop } from '#schemas/domain';
import type { Place } from './day';
import type { RunStop } from './courier-run';

/** A decision's stops as a courier will run them; the expectations are the plan's own durations. */
export function runStops(
  assignment: Assignment,
  courier: Courier,
  orders: ReadonlyMap<OrderId, Order>,
): RunStop[] {
  let leftAt: Seconds = courier.availableAt;
  return assignment.stops.map((planned) => {
    const stop = runStop(planned, leftAt, orders);
    leftAt = planned.departAt;
    return stop;
  });
}

function runStop(planned: PlannedStop, leftAt: Seconds, orders: ReadonlyMap<OrderId, Order>): RunStop {
  const served = planned.orderIds.map((id) => orders.get(id)!);
  const ends = served.map((order) => (planned.kind === 'pickup' ? order.pickup : order.dropoff));
  const preSeconds = Math.max(...ends.map((stop) => stop.preServiceSeconds));
  const waits = planned.servedAt > planned.arriveAt + preSeconds;
  return {
    kind: planned.kind,
    orders: served,
    place: { placeId: planned.placeId, point: ends[0]!.point },
    preSeconds,
    expected: {
      rideSeconds: planned.arriveAt - leftAt,
      notBefore: waits ? planned.servedAt : -Infinity,
      postSeconds: planned.departAt - planned.servedAt,
    },
  };
}

/** A drive without orders; its ride is expected to take what the dispatcher's travel rule says. */
export function moveStop(move: CourierMove, place: Place, rideSeconds: number): RunStop {
  const expected = { rideSeconds, notBefore: -Infinity, postSeconds: 0 };
  return { kind: 'move', orders: [], place: { ...place, placeId: move.placeId }, preSeconds: 0, expected };
}
