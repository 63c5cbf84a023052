import { columnsOf, ColumnSubset } from './column-subset';
import { OrderPrices, startPrices } from './order-prices';
import { packRows, PRICE_SHARE, type PackingGoal } from './pack-rows';
import { PackingChoice } from './packing-choice';
import { packingRows, passWork, type PackingRows } from './packing-rows';
import { pricedGreedy } from './priced-greedy';
import type { ProfitColumns } from './profit-columns';
import { byLargestProfit } from './profit-order';

/** More columns than this are priced together, and then packed with the most promising of them. */
export const MOST_AT_ONCE = 10_000;
const FEW = 10_000;
/** Of the budget, for packing them. */
const FEW_SHARE = 0.4;
const MOST_STEPS = 200;
/** Of a pass over all columns, a step of the prices visits about so much: it ends a courier's list early. */
const VISITED_SHARE = 0.125;
const STEPS_PER_GREEDY = 50;

/**
 * Betters `best`, which is empty, and gives a bound for all columns. First the largest profits that fit, then prices for
 * all columns with a greedy choice at them now and then, then a packing of those that lose least at the best prices.
 */
export function packMany(columns: ProfitColumns, best: PackingChoice, goal: PackingGoal): number {
  const sequence = byLargestProfit(columns.profit);
  const rows = packingRows(columns, { sequence });
  takeLargest(sequence, best);
  const prices = new OrderPrices(rows, startPrices(columns, rows.priceStep));
  lowerPrices(rows, prices, best, goal);
  if (best.profit >= goal.of(prices.bound)) return prices.bound;
  const subset = new ColumnSubset(rows);
  const kept = subset.leastLosses(subset.price(prices.best), best, FEW);
  const better = packFew(rows, kept, best, {
    ...goal,
    budget: goal.budget * FEW_SHARE,
    price: prices.best,
  });
  return Math.min(prices.bound, subset.price(better).bound);
}

function takeLargest(sequence: Int32Array, best: PackingChoice): void {
  for (let at = 0; at < sequence.length; at++) if (best.fits(sequence[at]!)) best.take(sequence[at]!);
}

/** At least one step: a bound. */
function lowerPrices(rows: PackingRows, prices: OrderPrices, best: PackingChoice, goal: PackingGoal): void {
  const affordable = Math.floor((PRICE_SHARE * goal.budget) / (VISITED_SHARE * passWork(rows)));
  const steps = Math.max(1, Math.min(MOST_STEPS, affordable));
  for (let step = 1; step <= steps; step++) {
    const moves = prices.step(best.profit);
    if (step % STEPS_PER_GREEDY === 0 || !moves) {
      const choice = pricedGreedy(rows, prices);
      if (choice.profit > best.profit) best.copyFrom(choice);
    }
    if (!moves || best.profit >= goal.of(prices.bound)) return;
  }
}

interface FewGoal extends PackingGoal {
  /** To begin with. */
  readonly price: Float64Array;
}

/** Betters `best` with the columns `kept`, which hold its own; gives the best prices for them. */
function packFew(
  { columns, priceStep: step }: PackingRows,
  kept: Int32Array,
  best: PackingChoice,
  goal: FewGoal,
): Float64Array {
  const few = columnsOf(columns, kept);
  const choice = new PackingChoice(few);
  for (const column of best.chosen()) choice.take(placeIn(kept, column));
  const prices = packRows(packingRows(few, { step }), choice, goal, goal.price);
  best.clear();
  for (const column of choice.chosen()) best.take(kept[column]!);
  return prices.best;
}

/** `values` ascend. */
function placeIn(values: Int32Array, value: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
