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
  }

  reduced(column: number, price: Float64Array): number {
    const { orderStart, orders, profit } = this.rows.columns;
    let reduced = profit[column]!;
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++)
      reduced -= price[orders[slot]!]!;
    return reduced;
  }

  /** From now on the bound holds only for solutions of these columns. */
  restrictTo(rows: PackingRows): void {
    this.rows = rows;
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
    const { columns } = this.rows;
    let bound = 0;
    for (const price of this.current) bound += price;
    this.use.fill(0);
    for (let courier = 0; courier < columns.courierCount; courier++) bound += this.bestOf(courier);
    this.work += passWork(this.rows);
    return bound;
  }

  /** The largest reduced profit of a courier, at least 0; counts the orders of that column as used. */
  private bestOf(courier: number): number {
    const { columns, courierStart, byCourier } = this.rows;
    let best = 0;
    let bestColumn = -1;
    for (let at = courierStart[courier]!; at < courierStart[courier + 1]!; at++) {
      const column = byCourier[at]!;
      if (columns.profit[column]! <= best) break;
      const reduced = this.reduced(column, this.current);
      if (reduced <= best) continue;
      best = reduced;
      bestColumn = column;
    }
    if (bestColumn < 0) return 0;
    for (let slot = columns.orderStart[bestColumn]!; slot < columns.orderStart[bestColumn + 1]!; slot++) {
      this.use[columns.orders[slot]!]!++;
    }
    return best;
  }

  private move(excess: number): boolean {
    const { current, direction, use } = this;
    let norm = 0;
    for (let order = 0; order < current.length; order++) {
      const slope = use[order] === 0 && current[order] === 0 ? 0 : use[order]! - 1;
      direction[order] = NEW_DIRECTION * slope + (1 - NEW_DIRECTION) * direction[order]!;
      norm += direction[order]! ** 2;
    }
    const length = (this.pace * excess) / norm;
    if (norm === 0 || length < this.rows.priceStep || this.pace < LEAST_PACE) return false;
    for (let order = 0; order < current.length; order++) {
      current[order] = Math.max(0, this.rounded(current[order]! + length * direction[order]!));
    }
    return true;
  }

  private rounded(price: number): number {
    return roundedTo(this.rows.priceStep, price);
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
