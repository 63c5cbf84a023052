import { MAX_EXACT_ORDERS } from '#schemas/tensors';
import { stopsOfCandidate } from '../routing/index';
import type { PlanningView } from '../candidates/index';

/**
 * Relative cost of planning a candidate by its number of stops, in nodes of the search: measured with
 * branch and bound on city problems for even counts (6, 17, 65, 327, 1,558 nodes at n = 2..6), the odd
 * ones between them. What every candidate costs besides its search is counted as `OVERHEAD` nodes.
 */
const nodesByStops = [0, 1, 2, 3, 6, 10, 17, 33, 65, 146, 327, 714, 1_558];
/** The heuristic beyond MAX_EXACT_ORDERS, on the same scale. */
const HEURISTIC_NODES = 1_000;
const OVERHEAD = 4;

export function planCost(orders: number, stops: number): number {
  return OVERHEAD + (orders > MAX_EXACT_ORDERS ? HEURISTIC_NODES : nodesByStops[stops]!);
}

/** Predicted cost of a courier with a bundle (none for a base row). */
export function predictedCost(view: PlanningView, courier: number, bundle: readonly number[]): number {
  const orders = view.round.couriers[courier]!.held.length + bundle.length;
  return planCost(orders, stopsOfCandidate(view.round, view.geometry, view.indexOf, courier, bundle).length);
}
