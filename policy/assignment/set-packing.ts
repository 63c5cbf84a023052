import { nearColumns, type NearColumns } from './near-columns';
import { OrderPrices } from './order-prices';
import { PackingChoice } from './packing-choice';
import { packingRows, type PackingRows } from './packing-rows';
import { pricedGreedy } from './priced-greedy';
import type { ProfitColumns } from './profit-columns';
import { Region } from './region';
import { RegionSearch } from './region-search';
import { SeededRandom } from './seeded-random';

/** Work of the default budget: a fixed part and a part a column. */
const WORK_FIXED = 12_000_000;
const WORK_PER_COLUMN = 800;
/** Share of the budget that the prices may use, and steps at most. */
const PRICE_SHARE = 0.45;
const PRICE_STEPS = 400;
const STEPS_PER_GREEDY = 10;
/** Shares of the search: plain, noisy, plain again. Noise is in units of the largest profit. */
const PLAIN_SHARE = 0.2;
const NOISY_SHARE = 0.7;
const NOISE = 0.1;
const SEED = 20_260_101;

export interface Packing {
  readonly columns: readonly number[];
  /** No solution has a larger profit. */
  readonly bound: number;
}

/**
 * Set packing of overlapping bundles: Lagrangian prices for the bound and for greedy choices, then exact
 * searches of small regions around what is lost against the bound. Stops when bound and choice meet or
 * the work budget is used up; the same input gives the same result.
 */
export function packBundles(columns: ProfitColumns, workBudget?: number): Packing {
  const budget = workBudget ?? WORK_FIXED + WORK_PER_COLUMN * columns.count;
  const rows = packingRows(columns);
  const prices = new OrderPrices(rows);
  const best = new PackingChoice(columns);
  lowerBound(rows, prices, best, budget * PRICE_SHARE);
  if (prices.bound - best.profit >= 1) {
    const search = new PackingSearch(rows, prices, best);
    const left = budget - prices.work;
    search.run(left * PLAIN_SHARE, 0);
    search.run(left * NOISY_SHARE, NOISE);
    search.run(left * (1 - PLAIN_SHARE - NOISY_SHARE), 0);
  }
  return { columns: best.chosen(), bound: Math.floor(prices.bound) };
}

function lowerBound(rows: PackingRows, prices: OrderPrices, best: PackingChoice, budget: number): void {
  for (let step = 1; step <= PRICE_STEPS && prices.work < budget; step++) {
    const moves = prices.step(best.profit);
    if (step % STEPS_PER_GREEDY === 0 || !moves) {
      const choice = pricedGreedy(rows, prices);
      if (choice.profit > best.profit) best.copyFrom(choice);
    }
    if (!moves || prices.bound - best.profit < 1) return;
  }
}

class PackingSearch {
  private readonly near: NearColumns;
  private readonly random = new SeededRandom(SEED);
  private readonly search: RegionSearch;
  private readonly largest: number;

  constructor(
    private readonly rows: PackingRows,
    private readonly prices: OrderPrices,
    private readonly best: PackingChoice,
  ) {
    this.near = nearColumns(rows, prices, best.profit);
    this.search = new RegionSearch(rows.columns, this.near, prices.best, this.random);
    this.largest = rows.columns.profit.reduce((a, b) => Math.max(a, b), 0);
  }

  /** `noise` falls to 0 over the budget; `best` only grows. */
  run(budget: number, noise: number): void {
    const { columns } = this.rows;
    const choice = new PackingChoice(columns);
    choice.copyFrom(this.best);
    const begin = this.search.work;
    const end = begin + budget;
    while (this.search.work < end && this.prices.bound - this.best.profit >= 1) {
      const region = new Region(columns, this.near, choice);
      this.seed(region, choice);
      region.grow(this.random);
      const left = (end - this.search.work) / budget;
      this.search.work += columns.courierCount + columns.orderCount;
      this.search.improve(choice, region, noise * left * this.largest);
      if (choice.profit > this.best.profit) this.best.copyFrom(choice);
    }
  }

  /** A courier or order drawn by what the choice loses there against the bound. */
  private seed(region: Region, choice: PackingChoice): void {
    const { courierCount, orderCount } = this.rows.columns;
    const losses = new Float64Array(courierCount + orderCount);
    let sum = 0;
    for (let courier = 0; courier < courierCount; courier++) {
      const column = choice.ofCourier[courier]!;
      sum += losses[courier] = this.near.best[courier]! - (column < 0 ? 0 : this.near.reduced[column]!);
    }
    for (let order = 0; order < orderCount; order++) {
      sum += losses[courierCount + order] = choice.ofOrder[order]! < 0 ? this.prices.best[order]! : 0;
    }
    let at = 0;
    let rest = this.random.unit() * sum;
    while (at < losses.length - 1 && (rest -= losses[at]!) >= 0) at++;
    if (at < courierCount) region.addCourier(at);
    else region.addOrder(at - courierCount);
  }
}
