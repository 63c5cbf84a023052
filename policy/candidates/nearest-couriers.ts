import { placeDistance } from '../routing/index';
import type { PlanningView } from './planning-view';

/** Couriers within the radius of a pickup place. */
export interface Ranking {
  /** Courier indices by distance, then index. */
  readonly byDistance: Int32Array;
  /** Courier indices by arrival at the place, then distance, then index. */
  readonly byArrival: Int32Array;
  /** By courier index: arrival in seconds relative to asOf; unset outside the radius. */
  readonly arrival: Map<number, number>;
}

/** Room for a courier's index or rank in the low bits of a sort key that is exact in a double. */
const INDEX_ROOM = 65_536;

function withinRadius(view: PlanningView, place: number): number[] {
  const { round, geometry } = view;
  const radius = round.policy.candidateRadiusMetres;
  const near: number[] = [];
  for (let courier = 0; courier < round.couriers.length; courier += 1) {
    const at = geometry.courierPlace[courier]!;
    const dx = geometry.x[at]! - geometry.x[place]!;
    const dy = geometry.y[at]! - geometry.y[place]!;
    // ceil(sqrt(d²)) ≤ r and d² ≤ r² are the same for a whole r.
    if (dx * dx + dy * dy > radius * radius) continue;
    if (view.drives[courier]) near.push(courier);
  }
  return near;
}

/** Sorts whole non-negative keys below 2^37 natively and gives back the payload of each. */
function sortByKey(keys: readonly number[], payload: readonly number[]): Int32Array {
  const combined = Float64Array.from(keys, (key, i) => key * INDEX_ROOM + i).sort();
  return Int32Array.from(combined, (value) => payload[value % INDEX_ROOM]!);
}

export function rankCouriers(view: PlanningView, place: number): Ranking {
  const { round, geometry, travel, free } = view;
  const near = withinRadius(view, place);
  const distances = near.map((courier) => placeDistance(geometry, geometry.courierPlace[courier]!, place));
  const byDistance = sortByKey(distances, near);
  const ordered = [...byDistance];
  const arrivals = ordered.map((courier) => {
    const { at, place: from } = free[courier]!;
    return at + travel(from, place, round.couriers[courier]!.vehicle);
  });
  const arrival = new Map(ordered.map((courier, i) => [courier, arrivals[i]!]));
  return { byDistance, byArrival: sortByKey(arrivals, ordered), arrival };
}

/**
 * Couriers by the time at which they can pick up something that is ready at `ready`: those that are
 * there by then come first, nearest first; the others by arrival.
 */
export function* earliestCouriers(ranking: Ranking, ready: number): Generator<number> {
  for (const courier of ranking.byDistance) {
    if (ranking.arrival.get(courier)! <= ready) yield courier;
  }
  for (const courier of ranking.byArrival) {
    if (ranking.arrival.get(courier)! > ready) yield courier;
  }
}
