import type { Assignment, DispatchRound, PlannedStop } from '#schemas/domain';
import { beginsTrip, type OrderTimesByIndex } from '../routing/index';
import type { RoundIndex } from './round-index';

/** What an assignment says of one trip. */
export type PlannedTrip = Pick<Assignment, 'orderIds' | 'stops' | 'cost'>;

/**
 * A walked plan with its new orders (indices), trip by trip; the first has the held stops too. The costs add up
 * to the plan's: those of later trips are what they add to it.
 */
export function tripsOfPlan(
  { round, geometry, orderIndex }: RoundIndex,
  orders: readonly number[],
  { stops, cost }: { readonly stops: readonly PlannedStop[]; readonly cost: bigint },
  times: OrderTimesByIndex,
): PlannedTrip[] {
  const begins = orders.flatMap((_, at) => (at > 0 && beginsTrip(round, geometry, orders, at) ? [at] : []));
  const idsFrom = (from: number, to?: number) =>
    orders.slice(from, to).map((order) => round.orders[order]!.orderId);
  const later = begins.map((begin, trip) => {
    const orderIds = idsFrom(begin, begins[trip + 1]);
    const served = new Set<string>(orderIds);
    return { orderIds, stops: stops.filter((stop) => stop.orderIds.some((id) => served.has(id))) };
  });
  const firstStops = stops.slice(0, stops.length - later.reduce((sum, trip) => sum + trip.stops.length, 0));
  let before = firstStops.at(-1)?.departAt ?? round.asOf;
  let rest = cost;
  const planned = later.map((trip) => {
    const added = addedCost(round, orderIndex, times, trip.stops, before);
    before = trip.stops.at(-1)!.departAt;
    rest -= added;
    return { ...trip, cost: added };
  });
  return [{ orderIds: idsFrom(0, begins[0]), stops: firstStops, cost: rest }, ...planned];
}

/** What stops that follow on `before` add to a plan's cost. */
function addedCost(
  round: DispatchRound,
  orderIndex: ReadonlyMap<string, number>,
  times: OrderTimesByIndex,
  stops: readonly PlannedStop[],
  before: number,
): bigint {
  let late = 0;
  let fresh = 0;
  for (const { kind, servedAt, orderIds } of stops) {
    if (kind === 'pickup') continue;
    const order = orderIndex.get(orderIds[0]!)!;
    late += Math.max(0, servedAt - round.orders[order]!.promisedAt);
    fresh += servedAt - round.asOf - times.get(order)!.readyAt;
  }
  const { lateness, duration, freshness } = round.policy.weights;
  return (
    BigInt(lateness) * BigInt(late) +
    BigInt(duration) * BigInt(stops.at(-1)!.departAt - before) +
    BigInt(freshness) * BigInt(fresh)
  );
}
