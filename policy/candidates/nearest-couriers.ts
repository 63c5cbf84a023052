import { placeDistance } from '../routing/index';
import type { PlanningView } from './planning-view';
import { SortedOnDemand } from './sorted-on-demand';

/** Couriers within the radius of a pickup place; positions are those in `couriers`. */
export interface Ranking {
  /** Courier indices, ascending. */
  readonly couriers: readonly number[];
  /** When each can be at the place, seconds relative to asOf. */
  readonly arrivals: Float64Array;
  /** By distance, then index. */
  readonly byDistance: SortedOnDemand;
  /** By arrival, then distance, then index. */
  readonly byArrival: SortedOnDemand;
}

/** Above every distance within a radius; arrivals below 2^31 and distances make keys exact in a double. */
const DISTANCE_ROOM = 2 ** 21;

function withinRadius(view: PlanningView, place: number): number[] {
  const { round, geometry, drives } = view;
  const radius = round.policy.candidateRadiusMetres;
  const [x, y] = [geometry.x[place]!, geometry.y[place]!];
  const near: number[] = [];
  for (let courier = 0; courier < round.couriers.length; courier += 1) {
    const at = geometry.courierPlace[courier]!;
    const dx = geometry.x[at]! - x;
    const dy = geometry.y[at]! - y;
    // ceil(sqrt(d²)) ≤ r and d² ≤ r² are the same for a whole r.
    if (dx * dx + dy * dy <= radius * radius && drives[courier]) near.push(courier);
  }
  return near;
}

export function rankCouriers(view: PlanningView, place: number): Ranking {
  const { round, geometry, travel, free } = view;
  const couriers = withinRadius(view, place);
  const distances = new Float64Array(couriers.length);
  const arrivals = new Float64Array(couriers.length);
  const keys = new Float64Array(couriers.length);
  couriers.forEach((courier, i) => {
    const { at, place: from } = free[courier]!;
    distances[i] = placeDistance(geometry, geometry.courierPlace[courier]!, place);
    arrivals[i] = at + travel(from, place, round.couriers[courier]!.vehicle);
    keys[i] = arrivals[i]! * DISTANCE_ROOM + distances[i]!;
  });
  return {
    couriers,
    arrivals,
    byDistance: new SortedOnDemand(distances),
    byArrival: new SortedOnDemand(keys),
  };
}

/**
 * Couriers by the time at which they can pick up something that is ready at `ready`: those that are
 * there by then come first, nearest first; the others by arrival.
 */
export function* earliestCouriers(ranking: Ranking, ready: number): Generator<number> {
  const { couriers, arrivals, byDistance, byArrival } = ranking;
  let inTime = 0;
  for (const arrival of arrivals) if (arrival <= ready) inTime += 1;
  for (let rank = 0, found = 0; found < inTime; rank += 1) {
    const position = byDistance.at(rank);
    if (arrivals[position]! > ready) continue;
    found += 1;
    yield couriers[position]!;
  }
  for (let rank = inTime; rank < byArrival.length; rank += 1) yield couriers[byArrival.at(rank)]!;
}
