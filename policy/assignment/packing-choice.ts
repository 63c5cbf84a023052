import type { ProfitColumns } from './profit-columns';

/** A feasible choice under construction: the column of each courier and of each order, −1 where free. */
export class PackingChoice {
  readonly ofCourier: Int32Array;
  readonly ofOrder: Int32Array;
  profit = 0;

  constructor(private readonly columns: ProfitColumns) {
    this.ofCourier = new Int32Array(columns.courierCount).fill(-1);
    this.ofOrder = new Int32Array(columns.orderCount).fill(-1);
  }

  fits(column: number): boolean {
    const { courier, orderStart, orders } = this.columns;
    if (this.ofCourier[courier[column]!]! >= 0) return false;
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++) {
      if (this.ofOrder[orders[slot]!]! >= 0) return false;
    }
    return true;
  }

  take(column: number): void {
    this.mark(column, column);
    this.profit += this.columns.profit[column]!;
  }

  drop(column: number): void {
    this.mark(column, -1);
    this.profit -= this.columns.profit[column]!;
  }

  clear(): void {
    this.ofCourier.fill(-1);
    this.ofOrder.fill(-1);
    this.profit = 0;
  }

  copyFrom(other: PackingChoice): void {
    this.ofCourier.set(other.ofCourier);
    this.ofOrder.set(other.ofOrder);
    this.profit = other.profit;
  }

  chosen(): number[] {
    return Array.from(this.ofCourier).filter((column) => column >= 0);
  }

  private mark(column: number, value: number): void {
    const { courier, orderStart, orders } = this.columns;
    this.ofCourier[courier[column]!] = value;
    for (let slot = orderStart[column]!; slot < orderStart[column + 1]!; slot++) {
      this.ofOrder[orders[slot]!] = value;
    }
  }
}
