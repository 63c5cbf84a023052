import type { NearColumns } from './near-columns';
import type { PackingChoice } from './packing-choice';
import type { ProfitColumns } from './profit-columns';
import type { SeededRandom } from './seeded-random';

const MAX_COURIERS = 6;
/** Orders of a region are bits of one 32-bit mask. */
const MAX_ORDERS = 12;
const GROWTH_TRIES = 48;
/** Columns drawn of which the one with the least loss is followed. */
const TOURNAMENT = 3;

/** Couriers and all orders of their chosen columns, and orders that nobody has. */
export class Region {
  readonly couriers: number[] = [];
  readonly orders: number[] = [];

  constructor(
    private readonly columns: ProfitColumns,
    private readonly near: NearColumns,
    private readonly choice: PackingChoice,
  ) {}

  /** Grows along columns that share a courier or an order with the region. */
  grow(random: SeededRandom): void {
    for (let tries = 0; tries < GROWTH_TRIES; tries++) {
      if (this.couriers.length >= MAX_COURIERS && this.orders.length >= MAX_ORDERS) return;
      const at = random.below(this.couriers.length + this.orders.length);
      const { courierStart, byCourier, orderStart, byOrder } = this.near.rows;
      if (at < this.couriers.length) this.follow(courierStart, byCourier, this.couriers[at]!, random);
      else this.follow(orderStart, byOrder, this.orders[at - this.couriers.length]!, random);
    }
  }

  addCourier(courier: number): void {
    if (this.couriers.length >= MAX_COURIERS || this.couriers.includes(courier)) return;
    const { orderStart, orders } = this.columns;
    const column = this.choice.ofCourier[courier]!;
    const from = column < 0 ? 0 : orderStart[column]!;
    const to = column < 0 ? 0 : orderStart[column + 1]!;
    if (this.orders.length + to - from > MAX_ORDERS) return;
    this.couriers.push(courier);
    for (let slot = from; slot < to; slot++) this.orders.push(orders[slot]!);
  }

  addOrder(order: number): void {
    if (this.orders.includes(order)) return;
    const column = this.choice.ofOrder[order]!;
    if (column >= 0) this.addCourier(this.columns.courier[column]!);
    else if (this.orders.length < MAX_ORDERS) this.orders.push(order);
  }

  private addColumn(column: number): void {
    const { courier, orderStart, orders } = this.columns;
    this.addCourier(courier[column]!);
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++) this.addOrder(orders[slot]!);
  }

  /** Adds a drawn column of a row, if it has any. */
  private follow(start: Int32Array, items: Int32Array, row: number, random: SeededRandom): void {
    const from = start[row]!;
    const length = start[row + 1]! - from;
    if (length === 0) return;
    const { reduced, best } = this.near;
    let drawn = -1;
    let least = Infinity;
    for (let i = 0; i < TOURNAMENT; i++) {
      const column = items[from + random.below(length)]!;
      const loss = best[this.columns.courier[column]!]! - reduced[column]!;
      if (loss >= least) continue;
      least = loss;
      drawn = column;
    }
    this.addColumn(drawn);
  }
}
