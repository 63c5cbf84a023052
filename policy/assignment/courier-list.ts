import type { PackingRows } from './packing-rows';

/**
 * The columns of packing rows courier by courier, each courier's largest profit first, with what is read of them in
 * every pass side by side. Positions are those in `byCourier` of the rows.
 */
export class CourierList {
  readonly courierStart: Int32Array;
  readonly profit: Float64Array;
  /** Orders at position p: `orders[first[p]] … orders[first[p + 1] − 1]`. */
  readonly first: Int32Array;
  readonly orders: Int32Array;

  constructor({ columns, byCourier, byOrder, courierStart }: PackingRows) {
    this.courierStart = courierStart;
    this.profit = new Float64Array(byCourier.length);
    this.first = new Int32Array(byCourier.length + 1);
    this.orders = new Int32Array(byOrder.length);
    for (let at = 0, slot = 0; at < byCourier.length; at++) {
      const column = byCourier[at]!;
      this.profit[at] = columns.profit[column]!;
      for (let from = columns.orderStart[column]!; from < columns.orderStart[column + 1]!; from++) {
        this.orders[slot++] = columns.orders[from]!;
      }
      this.first[at + 1] = slot;
    }
  }

  /** Profit less the prices of the orders. */
  reducedAt(at: number, price: Float64Array): number {
    const { first, orders } = this;
    let reduced = this.profit[at]!;
    for (let slot = first[at]!; slot < first[at + 1]!; slot++) reduced -= price[orders[slot]!]!;
    return reduced;
  }

  /** The position of the largest reduced profit above 0, the first among equals; −1 where none is. */
  bestFrom(from: number, to: number, price: Float64Array): number {
    const { profit, first, orders } = this;
    let best = 0;
    let bestAt = -1;
    for (let at = from; at < to; at++) {
      let reduced = profit[at]!;
      if (reduced <= best) break;
      for (let slot = first[at]!; slot < first[at + 1]!; slot++) reduced -= price[orders[slot]!]!;
      if (reduced <= best) continue;
      best = reduced;
      bestAt = at;
    }
    return bestAt;
  }
}
