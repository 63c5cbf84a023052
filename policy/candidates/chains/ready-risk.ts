import type { DispatchRound } from '#schemas/domain';
import { planningView } from '../planning-view';
import { ChainCost } from './chain-cost';
import { chainProblem } from './chain-problem';

/** What a courier's new orders, in the order of their drop-offs, are expected to cost beyond their cost at stated times. */
export type ReadyRisk = (courier: number, orders: Int32Array) => number;

/**
 * Of plans whose ready times aren't all known: meals of one trip wait for the latest, and a courier that waits keeps
 * those after it waiting, so cost at the expected times is too little. Null where there is no such order, where the
 * round has no chains, or where it travels by a matrix.
 */
export function readyRisk(round: DispatchRound): ReadyRisk | null {
  const { chains, travel } = round.policy;
  if (chains === undefined || travel.kind !== 'speed') return null;
  if (round.orders.every(({ known }) => known.ready)) return null;
  const costs = new ChainCost(chainProblem(planningView(round)));
  return (courier, orders) => {
    const stated = costs.atStatedTimes(courier, orders, orders.length);
    return stated === Infinity ? 0 : Math.round(costs.of(courier, orders, orders.length) - stated);
  };
}
