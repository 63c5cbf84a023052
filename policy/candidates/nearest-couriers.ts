import { placeDistance } from '../routing/index';
import type { PlanningView } from './planning-view';
import { SortedOnDemand } from './sorted-on-demand';

/** Couriers within the radius of a pickup place; positions are those in `couriers`. */
export interface Ranking {
  readonly place: number;
  /** Courier indices, ascending. */
  readonly couriers: Int32Array;
  /** When each can be at the place, seconds relative to asOf. */
  readonly arrivals: Float64Array;
  /** By distance, then index. */
  readonly byDistance: SortedOnDemand;
  /** By arrival, then distance, then index. */
  readonly byArrival: SortedOnDemand;
  /** Least travel from each courier's position, NaN until it is asked for; see `leastRide`. */
  readonly leastRides: Float64Array;
  /** How many are there by a time, for times that were asked for. */
  readonly inTime: Map<number, number>;
}

/** Above every distance within a radius; arrivals below 2^31 and distances make keys exact in a double. */
const DISTANCE_ROOM = 2 ** 21;

function withinRadius(view: PlanningView, place: number): Int32Array {
  const { round, geometry, drives } = view;
  const radius = round.policy.candidateRadiusMetres;
  const [x, y] = [geometry.x[place]!, geometry.y[place]!];
  const near = new Int32Array(round.couriers.length);
  let count = 0;
  for (let courier = 0; courier < near.length; courier += 1) {
    const at = geometry.courierPlace[courier]!;
    const dx = geometry.x[at]! - x;
    const dy = geometry.y[at]! - y;
    // ceil(sqrt(d²)) ≤ r and d² ≤ r² are the same for a whole r.
    if (dx * dx + dy * dy <= radius * radius && drives[courier]) near[count++] = courier;
  }
  return near.subarray(0, count);
}

export function rankCouriers(view: PlanningView, place: number): Ranking {
  const { round, geometry, travel, free } = view;
  const couriers = withinRadius(view, place);
  const distances = new Float64Array(couriers.length);
  const arrivals = new Float64Array(couriers.length);
  const keys = new Float64Array(couriers.length);
  for (let i = 0; i < couriers.length; i += 1) {
    const courier = couriers[i]!;
    const { at, place: from } = free[courier]!;
    distances[i] = placeDistance(geometry, geometry.courierPlace[courier]!, place);
    arrivals[i] = at + travel(from, place, round.couriers[courier]!.vehicle);
    keys[i] = arrivals[i]! * DISTANCE_ROOM + distances[i]!;
  }
  return {
    place,
    couriers,
    arrivals,
    byDistance: new SortedOnDemand(distances),
    byArrival: new SortedOnDemand(keys),
    leastRides: new Float64Array(couriers.length).fill(NaN),
    inTime: new Map(),
  };
}

/** Travel from the courier at a position of the ranking to its place, which no prediction undercuts. */
export function leastRide(view: PlanningView, ranking: Ranking, position: number): number {
  const known = ranking.leastRides[position]!;
  if (!Number.isNaN(known)) return known;
  const courier = ranking.couriers[position]!;
  const { vehicle } = view.round.couriers[courier]!;
  const ride = view.leastTravel(view.geometry.courierPlace[courier]!, ranking.place, vehicle);
  ranking.leastRides[position] = ride;
  return ride;
}

/** Bundles of a restaurant have few ready times among them. */
function countInTime({ arrivals, inTime }: Ranking, ready: number): number {
  const known = inTime.get(ready);
  if (known !== undefined) return known;
  let count = 0;
  for (let position = 0; position < arrivals.length; position += 1) {
    if (arrivals[position]! <= ready) count += 1;
  }
  inTime.set(ready, count);
  return count;
}

/**
 * The positions of couriers by the time at which they can pick up something that is ready at `ready`: those that
 * are there by then come first, nearest first; the others by arrival. Each is offered to `take`, which says
 * whether it wants more.
 */
export function offerEarliest(ranking: Ranking, ready: number, take: (position: number) => boolean): void {
  const { arrivals, byDistance, byArrival } = ranking;
  const inTime = countInTime(ranking, ready);
  for (let rank = 0, found = 0; found < inTime; rank += 1) {
    const position = byDistance.at(rank);
    if (arrivals[position]! > ready) continue;
    found += 1;
    if (!take(position)) return;
  }
  for (let rank = inTime; rank < byArrival.length; rank += 1) if (!take(byArrival.at(rank))) return;
}
