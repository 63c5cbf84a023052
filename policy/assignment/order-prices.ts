import { CourierList } from './courier-list';
import { passWork, type PackingRows } from './packing-rows';
import type { ProfitColumns } from './profit-columns';

/** Weight of the newest direction, and steps without a better bound until the pace is halved. */
const NEW_DIRECTION = 0.7;
const PATIENCE = 16;
/** Steps of a smaller pace hardly lower the bound. */
const LEAST_PACE = 0.02;

/**
 * Lagrangian prices of the orders. For prices ≥ 0 the profit of no solution exceeds
 * bound = Σ price + Σ over couriers of max(0, largest reduced profit of its columns),
 * where the reduced profit is the profit minus the prices of the column's orders. `step` lowers the bound
 * by a deflected subgradient with Polyak's step length (Held, Wolfe and Crowder 1974).
 */
export class OrderPrices {
  bound = Infinity;
  /** The prices of `bound`. */
  readonly best: Float64Array;
  readonly current: Float64Array;
  /** Columns and orders of columns visited. */
  work = 0;
  private readonly direction: Float64Array;
  private readonly use: Int32Array;
  private pace = 1;
  private stale = 0;
  private list: CourierList;

  /** `start`: prices to begin with, multiples of the rows' step. */
  constructor(
    private rows: PackingRows,
    start: Float64Array,
  ) {
    const { orderCount } = rows.columns;
    this.current = start.slice();
    this.best = start.slice();
    this.direction = new Float64Array(orderCount);
    this.use = new Int32Array(orderCount);
    this.list = new CourierList(rows);
  }

  reduced(column: number, price: Float64Array): number {
    const { orderStart, orders, profit } = this.rows.columns;
    let reduced = profit[column]!;
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++)
      reduced -= price[orders[slot]!]!;
    return reduced;
  }

  /** The same at the current prices, for a position of `byCourier` of the rows. */
  reducedAt(at: number): number {
    return this.list.reducedAt(at, this.current);
  }

  /** From now on the bound holds only for solutions of these columns. */
  restrictTo(rows: PackingRows): void {
    this.rows = rows;
    this.list = new CourierList(rows);
  }

  /** `known`: the profit of a solution. False when the prices can't be bettered any more. */
  step(known: number): boolean {
    const bound = this.evaluate();
    if (bound < this.bound) {
      if (bound < this.bound - 1e-4 * (this.bound - known)) this.stale = 0;
      this.bound = bound;
      this.best.set(this.current);
    } else if (++this.stale >= PATIENCE) {
      this.stale = 0;
      this.pace /= 2;
      this.current.set(this.best);
      this.direction.fill(0);
      this.evaluate();
    }
    return this.move(Math.max(bound - known, 0));
  }

  private evaluate(): number {
    const { current, use, list } = this;
    let bound = 0;
    for (let order = 0; order < current.length; order++) bound += current[order]!;
    use.fill(0);
    const { courierStart, first, orders } = list;
    for (let courier = 0; courier + 1 < courierStart.length; courier++) {
      const best = list.bestFrom(courierStart[courier]!, courierStart[courier + 1]!, current);
      if (best < 0) continue;
      bound += list.reducedAt(best, current);
      for (let slot = first[best]!; slot < first[best + 1]!; slot++) use[orders[slot]!]!++;
    }
    this.work += passWork(this.rows);
    return bound;
  }

  private move(excess: number): boolean {
    const { current, direction, use } = this;
    let norm = 0;
    for (let order = 0; order < current.length; order++) {
      const used = use[order]!;
      const slope = used === 0 && current[order] === 0 ? 0 : used - 1;
      const next = NEW_DIRECTION * slope + (1 - NEW_DIRECTION) * direction[order]!;
      direction[order] = next;
      norm += next * next;
    }
    const { priceStep } = this.rows;
    const length = (this.pace * excess) / norm;
    if (norm === 0 || length < priceStep || this.pace < LEAST_PACE) return false;
    // The step is a power of two, so that both products are exact.
    const steps = 1 / priceStep;
    for (let order = 0; order < current.length; order++) {
      const price = Math.round((current[order]! + length * direction[order]!) * steps) * priceStep;
      current[order] = price > 0 ? price : 0;
    }
    return true;
  }
}

/** Half of the largest share of an order in a profit. */
export function startPrices(columns: ProfitColumns, step: number): Float64Array {
  const { count, orderCount, orderStart, orders, profit } = columns;
  const price = new Float64Array(orderCount);
  for (let column = 0; column < count; column++) {
    const size = orderStart[column + 1]! - orderStart[column]!;
    const share = roundedTo(step, profit[column]! / size / 2);
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++) {
      if (share > price[orders[slot]!]!) price[orders[slot]!] = share;
    }
  }
  return price;
}

function roundedTo(step: number, price: number): number {
  return Math.round(price / step) * step;
}
