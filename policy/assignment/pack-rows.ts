import { nearColumns } from './near-columns';
import { OrderPrices } from './order-prices';
import type { PackingChoice } from './packing-choice';
import { passWork, type PackingRows } from './packing-rows';
import { PackingSearch } from './packing-search';
import { pricedGreedy } from './priced-greedy';
import { SeededRandom } from './seeded-random';

/** Share of the budget that the prices may use. */
export const PRICE_SHARE = 0.45;
const STEPS_PER_GREEDY = 10;
/** Steps of the prices, then a search with a share of the rest; noise in units of the largest profit. */
const PHASES = [
  { steps: 60, share: 0.05, noise: 0 },
  { steps: 100, share: 0.1, noise: 0 },
  { steps: 240, share: 0.7, noise: 0.1 },
  { steps: 0, share: 0.15, noise: 0 },
] as const;
/** Passes over the rows that setting up a search takes. */
const PASSES_PER_SEARCH = 4;
const SEED = 20_260_101;

export interface PackingGoal {
  /** Visits of a column. */
  readonly budget: number;
  /** The profit from which on a search isn't worth its time, under a bound. */
  of(bound: number): number;
}

/** Betters `best`; gives the prices, whose bound holds for the columns of the rows. `start`: the first prices. */
export function packRows(
  allRows: PackingRows,
  best: PackingChoice,
  goal: PackingGoal,
  start: Float64Array,
): OrderPrices {
  let rows = allRows;
  const prices = new OrderPrices(rows, start);
  const random = new SeededRandom(SEED);
  for (const { steps, share, noise } of PHASES) {
    lowerBound(rows, prices, best, { steps, work: goal.budget * PRICE_SHARE, goal });
    const profit = goal.of(prices.bound);
    if (best.profit >= profit) break;
    const budget = goal.budget * (1 - PRICE_SHARE) * share - PASSES_PER_SEARCH * passWork(allRows);
    if (budget > 0) new PackingSearch(allRows, best, prices, random, profit).run(budget, noise);
    rows = nearColumns(rows, prices, best.profit).rows;
    prices.restrictTo(rows);
  }
  return prices;
}

/** Steps of the prices, with a greedy choice at their prices now and then. */
function lowerBound(
  rows: PackingRows,
  prices: OrderPrices,
  best: PackingChoice,
  limits: { readonly steps: number; readonly work: number; readonly goal: PackingGoal },
): void {
  for (let step = 1; step <= limits.steps && prices.work < limits.work; step++) {
    const moves = prices.step(best.profit);
    if (step % STEPS_PER_GREEDY === 0 || !moves) {
      const choice = pricedGreedy(rows, prices);
      if (choice.profit > best.profit) best.copyFrom(choice);
    }
    if (!moves || best.profit >= limits.goal.of(prices.bound)) return;
  }
}
