import type { NearColumns } from './near-columns';
import type { PackingChoice } from './packing-choice';
import type { ProfitColumns } from './profit-columns';
import type { Region } from './region';
import type { SeededRandom } from './seeded-random';

const MAX_NODES = 400;

interface Option {
  readonly column: number;
  /** Bits of its orders in the region. */
  readonly mask: number;
  readonly reduced: number;
  readonly profit: number;
}

/**
 * Assigns the couriers and orders of a region anew, everything else stays: depth-first search over the
 * couriers, the one with the largest regret first, under the bound of the order prices. With `noise` each
 * profit gets a random addition below it, which leads out of local optima.
 */
export class RegionSearch {
  /** Options looked at. */
  work = 0;
  private readonly bit: Int32Array;
  private options: Option[][] = [];
  private nodesLeft = 0;
  private best = 0;
  private bestPath: readonly number[] = [];
  private readonly path: number[] = [];

  constructor(
    private readonly columns: ProfitColumns,
    private readonly near: NearColumns,
    private readonly price: Float64Array,
    private readonly random: SeededRandom,
  ) {
    this.bit = new Int32Array(columns.orderCount).fill(-1);
  }

  /** Changes `choice` where the (noisy) profit grows; says whether it did. */
  improve(choice: PackingChoice, region: Region, noise: number): boolean {
    region.orders.forEach((order, bit) => (this.bit[order] = bit));
    const held = region.couriers.map((courier) => choice.ofCourier[courier]!).filter((column) => column >= 0);
    this.best = this.collect(region.couriers, held, noise);
    this.bestPath = held;
    this.nodesLeft = MAX_NODES;
    const open = region.orders.reduce((sum, order) => sum + this.price[order]!, 0);
    this.dropHopeless(open);
    this.descend(0, 0, 0, open);
    for (const order of region.orders) this.bit[order] = -1;
    if (this.bestPath === held) return false;
    for (const column of held) choice.drop(column);
    for (const column of this.bestPath) choice.take(column);
    return true;
  }

  /** Fills `options`; gives the profit of the columns in `held`. */
  private collect(couriers: readonly number[], held: readonly number[], noise: number): number {
    let heldProfit = 0;
    this.options = [];
    for (const courier of couriers) {
      const list: Option[] = [];
      const { courierStart, byCourier } = this.near.rows;
      for (let at = courierStart[courier]!; at < courierStart[courier + 1]!; at++) {
        const column = byCourier[at]!;
        const mask = this.maskOf(column);
        if (mask !== 0) list.push(this.optionOf(column, mask, noise));
      }
      this.work += courierStart[courier + 1]! - courierStart[courier]!;
      list.sort((a, b) => b.reduced - a.reduced || a.column - b.column);
      if (list.length > 0) this.options.push(list);
      for (const option of list) if (held.includes(option.column)) heldProfit += option.profit;
    }
    return heldProfit;
  }

  private optionOf(column: number, mask: number, noise: number): Option {
    const more = noise >= 1 ? this.random.below(noise) : 0;
    const reduced = this.near.reduced[column]! + more;
    return { column, mask, reduced, profit: this.columns.profit[column]! + more };
  }

  /** 0 where the column needs an order that isn't in the region. */
  private maskOf(column: number): number {
    const { orderStart, orders } = this.columns;
    let mask = 0;
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++) {
      const bit = this.bit[orders[slot]!]!;
      if (bit < 0) return 0;
      mask |= 1 << bit;
    }
    return mask;
  }

  /** Leaves out options that can't stand in a better choice, as `nearColumns` does for the whole problem. */
  private dropHopeless(open: number): void {
    let slack = open - this.best;
    for (const list of this.options) slack += Math.max(0, list[0]!.reduced);
    this.options = this.options
      .map((list) => list.filter((option) => Math.max(0, list[0]!.reduced) - option.reduced < slack))
      .filter((list) => list.length > 0);
  }

  /** `open` is the price of the orders that are still free, `used` their bits. */
  private descend(depth: number, used: number, profit: number, open: number): void {
    if (profit > this.best) {
      this.best = profit;
      this.bestPath = this.path.slice();
    }
    if (depth === this.options.length || this.nodesLeft-- <= 0) return;
    const { bound, at, first } = this.regretful(depth, used);
    const rest = profit + open + bound - first;
    if (rest + first <= this.best) return;
    this.swap(depth, at);
    let idleTried = false;
    for (const option of this.options[depth]!) {
      this.work++;
      if ((option.mask & used) !== 0) continue;
      if (option.reduced < 0 && !idleTried) {
        idleTried = true;
        if (rest > this.best) this.descend(depth + 1, used, profit, open);
      }
      if (rest + option.reduced <= this.best) break;
      this.path.push(option.column);
      const paid = option.profit - option.reduced;
      this.descend(depth + 1, used | option.mask, profit + option.profit, open - paid);
      this.path.pop();
    }
    if (!idleTried && rest > this.best) this.descend(depth + 1, used, profit, open);
    this.swap(depth, at);
  }

  /** Sum of the first free options from `depth` on, and the courier who loses most without his first. */
  private regretful(depth: number, used: number): { bound: number; at: number; first: number } {
    let bound = 0;
    let at = depth;
    let regret = -1;
    let firstThere = 0;
    for (let i = depth; i < this.options.length; i++) {
      let first = -1;
      let second = 0;
      for (const option of this.options[i]!) {
        this.work++;
        if ((option.mask & used) !== 0) continue;
        const value = Math.max(0, option.reduced);
        if (first < 0) first = value;
        else {
          second = value;
          break;
        }
      }
      first = Math.max(0, first);
      bound += first;
      if (first - second <= regret) continue;
      regret = first - second;
      at = i;
      firstThere = first;
    }
    return { bound, at, first: firstThere };
  }

  private swap(a: number, b: number): void {
    const list = this.options[a]!;
    this.options[a] = this.options[b]!;
    this.options[b] = list;
  }
}
