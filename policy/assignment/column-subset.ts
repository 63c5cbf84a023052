import type { PackingChoice } from './packing-choice';
import type { ColumnRows } from './packing-rows';
import { ofOneShape, type ProfitColumns } from './profit-columns';
import { smallest } from './smallest';

/** All columns at some prices. */
export interface PricedColumns {
  /** Overwritten when the columns are priced again. */
  readonly reduced: Float64Array;
  /** Largest reduced profit of each courier, at least 0. */
  readonly best: Float64Array;
  /** Σ price + Σ best: no solution of any of the columns has a larger profit. */
  readonly bound: number;
}

/** Prices all columns again and again, and picks some of them, in the same memory: that of large problems is megabytes. */
export class ColumnSubset {
  private readonly reduced: Float64Array;
  private readonly loss: Float64Array;
  /** Of a row's columns, in any order. */
  private readonly values: Float64Array;

  constructor(private readonly rows: ColumnRows) {
    this.reduced = new Float64Array(rows.columns.count);
    this.loss = new Float64Array(rows.columns.count);
    this.values = new Float64Array(Math.max(rows.byCourier.length, rows.byOrder.length));
  }

  price(price: Float64Array): PricedColumns {
    const { columns } = this.rows;
    const best = reduceProfits(columns, price, this.reduced);
    let bound = 0;
    for (let order = 0; order < price.length; order++) bound += price[order]!;
    for (let courier = 0; courier < best.length; courier++) bound += best[courier]!;
    return { reduced: this.reduced, best, bound };
  }

  /**
   * Columns that lose least against their courier's best at these prices: some of every courier, some of every order,
   * and the first of the rest, `size` in all or a few more, with those of the choice; ascending.
   */
  leastLosses(priced: PricedColumns, choice: PackingChoice, size: number): Int32Array {
    const { columns, byCourier, courierStart, byOrder, orderStart } = this.rows;
    this.setLosses(priced);
    const isKept = new Uint8Array(columns.count);
    this.markLeast(isKept, byCourier, courierStart, Math.ceil(size / 3 / columns.courierCount));
    this.markLeast(isKept, byOrder, orderStart, Math.ceil(size / 3 / columns.orderCount));
    this.markLeast(isKept, byCourier, Int32Array.of(0, columns.count), Math.ceil(size / 3));
    for (const column of choice.chosen()) isKept[column] = 1;
    return markedOf(isKept);
  }

  private setLosses({ reduced, best }: PricedColumns): void {
    const { loss } = this;
    const { count, courier } = this.rows.columns;
    for (let column = 0; column < count; column++) loss[column] = best[courier[column]!]! - reduced[column]!;
  }

  /** Marks the `quota` least of every row, more where several are equal to the last of them. */
  private markLeast(isKept: Uint8Array, items: Int32Array, start: Int32Array, quota: number): void {
    const { loss, values } = this;
    for (let at = 0; at < items.length; at++) values[at] = loss[items[at]!]!;
    for (let row = 0; row + 1 < start.length; row++) {
      const from = start[row]!;
      const to = start[row + 1]!;
      const limit = to - from <= quota ? Infinity : smallest(values, from, to, quota - 1);
      for (let at = from; at < to; at++) if (loss[items[at]!]! <= limit) isKept[items[at]!] = 1;
    }
  }
}

function markedOf(isKept: Uint8Array): Int32Array {
  let count = 0;
  for (let column = 0; column < isKept.length; column++) count += isKept[column]!;
  const marked = new Int32Array(count);
  for (let column = 0, at = 0; column < isKept.length; column++)
    if (isKept[column] === 1) marked[at++] = column;
  return marked;
}

/** The same problem with these columns alone; their order stays. */
export function columnsOf(columns: ProfitColumns, kept: Int32Array): ProfitColumns {
  const orderStart = new Int32Array(kept.length + 1);
  for (let at = 0; at < kept.length; at++) {
    const column = kept[at]!;
    orderStart[at + 1] = orderStart[at]! + columns.orderStart[column + 1]! - columns.orderStart[column]!;
  }
  const orders = new Int32Array(orderStart[kept.length]!);
  for (let at = 0; at < kept.length; at++) {
    const column = kept[at]!;
    const own = columns.orders.subarray(columns.orderStart[column]!, columns.orderStart[column + 1]!);
    orders.set(own, orderStart[at]!);
  }
  const candidate = kept.map((column) => columns.candidate[column]!);
  const courier = kept.map((column) => columns.courier[column]!);
  const profit = Float64Array.from(kept, (column) => columns.profit[column]!);
  return ofOneShape({ ...columns, count: kept.length, candidate, courier, profit, orderStart, orders });
}

/** Fills `reduced`; gives the largest of each courier, at least 0. */
function reduceProfits(
  { count, courier, courierCount, profit, orders, orderStart }: ProfitColumns,
  price: Float64Array,
  reduced: Float64Array,
): Float64Array {
  const best = new Float64Array(courierCount);
  for (let column = 0; column < count; column++) {
    let value = profit[column]!;
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++)
      value -= price[orders[slot]!]!;
    reduced[column] = value;
    if (value > best[courier[column]!]!) best[courier[column]!] = value;
  }
  return best;
}
