import { LossDraw } from './loss-draw';
import { nearColumns, type NearColumns } from './near-columns';
import type { OrderPrices } from './order-prices';
import { PackingChoice } from './packing-choice';
import type { PackingRows } from './packing-rows';
import { Region } from './region';
import { RegionSearch } from './region-search';
import type { SeededRandom } from './seeded-random';

/** The search may pass through columns that lose so many times what a better solution can lose. */
const SEARCH_REACH = 1.5;
/** What growing a region and setting up its search takes beside the options looked at. */
const WORK_PER_REGION = 1_000;

/** Exact searches of small regions, drawn where the choice loses most against the bound. */
export class PackingSearch {
  private readonly near: NearColumns;
  private readonly search: RegionSearch;
  private readonly largest: number;

  /** `goal`: the profit at which it ends. */
  constructor(
    private readonly rows: PackingRows,
    private readonly best: PackingChoice,
    private readonly prices: OrderPrices,
    private readonly random: SeededRandom,
    private readonly goal: number,
  ) {
    this.near = nearColumns(rows, prices, best.profit, SEARCH_REACH);
    this.search = new RegionSearch(rows.columns, this.near, prices.best, random);
    this.largest = rows.columns.profit.reduce((a, b) => Math.max(a, b), 0);
  }

  /** `noise` falls to 0 over the budget; `best` only grows. */
  run(budget: number, noise: number): void {
    const { columns } = this.rows;
    const choice = new PackingChoice(columns);
    choice.copyFrom(this.best);
    const losses = new LossDraw(this.near, this.prices.best, choice);
    let changed = true;
    while (this.search.work < budget && this.best.profit < this.goal) {
      if (changed) this.search.work += losses.size;
      const region = new Region(columns, this.near, choice);
      const at = losses.draw(this.random);
      if (at < columns.courierCount) region.addCourier(at);
      else region.addOrder(at - columns.courierCount);
      region.grow(this.random);
      const left = (budget - this.search.work) / budget;
      this.search.work += WORK_PER_REGION;
      changed = this.search.improve(choice, region, noise * left * this.largest);
      if (choice.profit > this.best.profit) this.best.copyFrom(choice);
      if (changed) losses.refresh(choice, region);
    }
  }
}
