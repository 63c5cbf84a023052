import { MAX_EXACT_ORDERS, MAX_EXACT_STOPS } from '#schemas/tensors';
import type { PlanningView } from '../candidates/index';
import { StopCounter } from './stop-counter';

/**
 * Cost of planning a candidate by its number of stops, in tenths of a microsecond of one core: measured with
 * the planner addon on random city rounds (10 km, 20 km/h, bundles merged or not, held orders on board or
 * not). Only ratios matter; within one number of stops they spread by a factor of two.
 */
const exactByStops = [0, 1, 2, 3.5, 6, 10, 18, 32, 62, 130, 500, 1_400, 4_000];
/** The heuristic, from 8 stops on. */
const heuristicByStops = [600, 1_300, 2_000, 2_700, 3_200, 4_200, 4_800, 5_600, 6_000];

export function planCost(orders: number, stops: number): number {
  const exact = orders <= MAX_EXACT_ORDERS && stops <= MAX_EXACT_STOPS;
  return exact ? exactByStops[stops]! : heuristicByStops[stops - MAX_EXACT_ORDERS - 1]!;
}

/** Predicted cost of a courier with a bundle (none for a base row); halves are exact in sums. */
export type PredictedCost = (courier: number, bundle: readonly number[]) => number;

export function predictedCosts(view: PlanningView): PredictedCost {
  const counter = new StopCounter(view);
  const held = Uint8Array.from(view.round.couriers, (courier) => courier.held.length);
  return (courier, bundle) => planCost(held[courier]! + bundle.length, counter.stopsOf(courier, bundle));
}
