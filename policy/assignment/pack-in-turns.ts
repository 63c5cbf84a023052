import { columnsOf, ColumnSubset } from './column-subset';
import { startPrices } from './order-prices';
import { packRows, PRICE_SHARE, type PackingGoal } from './pack-rows';
import { PackingChoice } from './packing-choice';
import { columnRows, packingRows, priceStep } from './packing-rows';
import type { ProfitColumns } from './profit-columns';

/** More columns than this are packed in turns, each with the most promising of them. */
export const MOST_AT_ONCE = 10_000;
const TURNS = 6;
const STEPS_PER_TURN = 50;

/**
 * Betters `best` with those columns that lose least at the prices of the turn before, and gives a bound for all columns.
 * Prices that are worse for all of them than the best so far are met half-way (Wentges 1997). Beside the budget it
 * takes some ten passes over the columns a turn.
 */
export function packInTurns(columns: ProfitColumns, best: PackingChoice, goal: PackingGoal): number {
  const step = priceStep(columns);
  const subset = new ColumnSubset(columnRows(columns, ascending(columns.count)));
  const turnGoal = { ...goal, budget: goal.budget / TURNS };
  const size = sizeOfTurn(columns, turnGoal.budget);
  let price = startPrices(columns, step);
  let priced = subset.price(price);
  let known = { price, bound: Infinity };
  for (let turn = 0; turn < TURNS && best.profit < goal.of(known.bound); turn++) {
    const kept = subset.leastLosses(priced, best, size);
    price = packTurn(columnsOf(columns, kept), kept, best, { goal: turnGoal, price, step });
    priced = subset.price(price);
    if (priced.bound > known.bound) {
      price = halfWay(price, known.price, step);
      priced = subset.price(price);
    }
    if (priced.bound <= known.bound) known = { price, bound: priced.bound };
  }
  return known.bound;
}

function ascending(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

/** `few`: the columns `kept`; gives the best prices for them. */
function packTurn(
  few: ProfitColumns,
  kept: Int32Array,
  best: PackingChoice,
  { goal, price, step }: { readonly goal: PackingGoal; readonly price: Float64Array; readonly step: number },
): Float64Array {
  const choice = new PackingChoice(few);
  for (const column of best.chosen()) choice.take(placeIn(kept, column));
  const prices = packRows(packingRows(few, step), choice, goal, price);
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

/** So many columns that the prices can make their steps with them. */
function sizeOfTurn({ count, orders }: ProfitColumns, budget: number): number {
  const stepWork = (budget * PRICE_SHARE) / STEPS_PER_TURN;
  return Math.min(MOST_AT_ONCE, Math.ceil(stepWork / (1 + orders.length / count)));
}

function halfWay(a: Float64Array, b: Float64Array, step: number): Float64Array {
  return a.map((price, order) => Math.round((price + b[order]!) / 2 / step) * step);
}
