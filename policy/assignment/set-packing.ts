import { LossDraw } from './loss-draw';
import { nearColumns, type NearColumns } from './near-columns';
import { OrderPrices } from './order-prices';
import { PackingChoice } from './packing-choice';
import { packingRows, restrictedRows, type PackingRows } from './packing-rows';
import { pricedGreedy } from './priced-greedy';
import type { ProfitColumns } from './profit-columns';
import { Region } from './region';
import { RegionSearch } from './region-search';
import { SeededRandom } from './seeded-random';

/** Work of the default budget: a fixed part and a part a column. One unit is about 6 ns. */
const WORK_FIXED = 8_000_000;
const WORK_PER_COLUMN = 5_000;
/** What growing a region and setting up its search takes beside the options looked at. */
const WORK_PER_REGION = 1_000;
/** Default of `closeEnough`. */
const CLOSE_ENOUGH = 0.0005;
/** Share of the budget that the prices may use. */
const PRICE_SHARE = 0.45;
const STEPS_PER_GREEDY = 10;
/** Steps of the prices, then a search with a share of the rest; noise in units of the largest profit. */
const PHASES = [
  { steps: 60, share: 0.05, noise: 0 },
  { steps: 100, share: 0.1, noise: 0 },
  { steps: 240, share: 0.7, noise: 0.1 },
  { steps: 0, share: 0.15, noise: 0 },
] as const;
/** The search may pass through columns that lose so many times what a better solution can lose. */
const SEARCH_REACH = 1.5;
const SEED = 20_260_101;

export interface PackingLimits {
  /** Visits of a column. */
  readonly workBudget?: number;
  /** The search ends when the distance to the bound is below this share of the cost. */
  readonly closeEnough?: number;
}

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
export function packBundles(columns: ProfitColumns, limits: PackingLimits = {}): Packing {
  const budget = limits.workBudget ?? WORK_FIXED + WORK_PER_COLUMN * columns.count;
  const goal = () => goalOf(columns, prices.bound, limits.closeEnough ?? CLOSE_ENOUGH);
  const allRows = packingRows(columns);
  let rows = allRows;
  const prices = new OrderPrices(rows);
  const best = new PackingChoice(columns);
  const random = new SeededRandom(SEED);
  for (const { steps, share, noise } of PHASES) {
    lowerBound(rows, prices, best, { steps, work: budget * PRICE_SHARE, goal });
    if (best.profit >= goal()) break;
    new PackingSearch(allRows, best, prices, random, goal()).run(budget * (1 - PRICE_SHARE) * share, noise);
    rows = restrictedRows(rows, nearColumns(rows, prices, best.profit).isNear);
    prices.restrictTo(rows);
  }
  return { columns: best.chosen(), bound: Math.max(best.profit, Math.floor(prices.bound)) };
}

/** Steps of the prices, with a greedy choice at their prices now and then. */
function lowerBound(
  rows: PackingRows,
  prices: OrderPrices,
  best: PackingChoice,
  limits: { readonly steps: number; readonly work: number; goal(): number },
): void {
  for (let step = 1; step <= limits.steps && prices.work < limits.work; step++) {
    const moves = prices.step(best.profit);
    if (step % STEPS_PER_GREEDY === 0 || !moves) {
      const choice = pricedGreedy(rows, prices);
      if (choice.profit > best.profit) best.copyFrom(choice);
    }
    if (!moves || best.profit >= limits.goal()) return;
  }
}

/** The profit from which on the search isn't worth its time: nothing whole above it, or close enough. */
function goalOf(columns: ProfitColumns, bound: number, closeEnough: number): number {
  return bound - Math.max(1 - Number.EPSILON, closeEnough * Math.max(0, columns.penaltySum - bound));
}

class PackingSearch {
  private readonly near: NearColumns;
  private readonly search: RegionSearch;
  private readonly losses: LossDraw;
  private readonly largest: number;

  constructor(
    private readonly rows: PackingRows,
    private readonly best: PackingChoice,
    prices: OrderPrices,
    private readonly random: SeededRandom,
    private readonly goal: number,
  ) {
    this.near = nearColumns(rows, prices, best.profit, SEARCH_REACH);
    this.search = new RegionSearch(rows.columns, this.near, prices.best, random);
    this.losses = new LossDraw(this.near, prices.best);
    this.largest = rows.columns.profit.reduce((a, b) => Math.max(a, b), 0);
  }

  /** `noise` falls to 0 over the budget; `best` only grows. */
  run(budget: number, noise: number): void {
    const { columns } = this.rows;
    const choice = new PackingChoice(columns);
    choice.copyFrom(this.best);
    const end = this.search.work + budget;
    let changed = true;
    while (this.search.work < end && this.best.profit < this.goal) {
      if (changed) this.search.work += this.losses.refresh(choice);
      const region = new Region(columns, this.near, choice);
      const at = this.losses.draw(this.random);
      if (at < columns.courierCount) region.addCourier(at);
      else region.addOrder(at - columns.courierCount);
      region.grow(this.random);
      const left = (end - this.search.work) / budget;
      this.search.work += WORK_PER_REGION;
      changed = this.search.improve(choice, region, noise * left * this.largest);
      if (choice.profit > this.best.profit) this.best.copyFrom(choice);
    }
  }
}
