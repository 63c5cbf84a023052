import type { PlanningView } from '../planning-view';
import { chainProblem } from './chain-problem';
import type { Chain } from './chain-pool';
import { ChainRules } from './chain-rules';
import { ChainSearch } from './chain-search';

/**
 * Chains of trips worth costing, by a search over all couriers and `open` orders at the stated times; none where
 * the round doesn't ask for chains. Deterministic.
 */
export function chainCandidates(view: PlanningView, open: readonly number[]): readonly Chain[] {
  const { chains } = view.round.policy;
  if (chains === undefined || open.length === 0 || view.round.couriers.length === 0) return [];
  const problem = chainProblem(view);
  const rules = new ChainRules(view, problem, chains);
  const search = new ChainSearch(view, problem, rules, open);
  search.run(toldChains(view, new Set(open), rules));
  return search.pool.chains;
}

/** What couriers were told of before, as far as it is open and may still be a chain. */
function toldChains(view: PlanningView, open: ReadonlySet<number>, rules: ChainRules) {
  const told = new Map<number, number[]>();
  const taken = new Set<number>();
  view.round.couriers.forEach(({ tentativeOrderIds }, courier) => {
    const chain: number[] = [];
    for (const id of view.drives[courier] ? tentativeOrderIds : []) {
      const order = view.indexOf.get(id);
      if (order === undefined || !open.has(order) || taken.has(order) || !rules.may(courier, order)) continue;
      if (chain.length >= rules.roomOf(courier)) break;
      chain.push(order);
      if (rules.allow(Int32Array.from(chain), chain.length, chain.length - 1)) taken.add(order);
      else chain.pop();
    }
    if (chain.length > 0) told.set(courier, chain);
  });
  return told;
}
