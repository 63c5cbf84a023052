import { byLargestProfit } from './profit-order';
import type { ProfitColumns } from './profit-columns';

/** Prices are multiples of this or of a larger power of two, so that their sums are exact in doubles. */
const FINEST_STEP = 2 ** -16;

/**
 * Columns of courier c: `byCourier[courierStart[c]] … byCourier[courierStart[c + 1] − 1]`; those of an order likewise in
 * `byOrder`.
 */
export interface ColumnRows {
  readonly columns: ProfitColumns;
  readonly courierStart: Int32Array;
  readonly byCourier: Int32Array;
  readonly orderStart: Int32Array;
  readonly byOrder: Int32Array;
}

/** Each row the larger profit first. */
export interface PackingRows extends ColumnRows {
  readonly priceStep: number;
}

interface KnownOfRows {
  /** That of `priceStep` where absent, or a larger one. */
  readonly step?: number;
  /** That of `byLargestProfit`. */
  readonly sequence?: Int32Array;
}

export function packingRows(columns: ProfitColumns, known: KnownOfRows = {}): PackingRows {
  const { step = priceStep(columns), sequence = byLargestProfit(columns.profit) } = known;
  const { courierStart, byCourier, orderStart, byOrder } = columnRows(columns, sequence);
  return { columns, courierStart, byCourier, orderStart, byOrder, priceStep: step };
}

/** Each row in the order of `sequence`, which names every column. */
export function columnRows(columns: ProfitColumns, sequence: Int32Array): ColumnRows {
  const { count, courier, orders } = columns;
  const slots = columns.orderStart[count]!;
  const courierStart = startsOf(courier, count, columns.courierCount);
  const orderStart = startsOf(orders, slots, columns.orderCount);
  const byCourier = new Int32Array(count);
  const byOrder = new Int32Array(slots);
  const nextOfCourier = courierStart.slice();
  const nextOfOrder = orderStart.slice();
  for (let at = 0; at < sequence.length; at++) {
    const column = sequence[at]!;
    byCourier[nextOfCourier[courier[column]!]!++] = column;
    for (let slot = columns.orderStart[column]!; slot < columns.orderStart[column + 1]!; slot++) {
      byOrder[nextOfOrder[orders[slot]!]!++] = column;
    }
  }
  return { columns, courierStart, byCourier, orderStart, byOrder };
}

/** Visits of columns and of their orders that one pass over all of them takes. */
export function passWork({ byCourier, byOrder }: PackingRows): number {
  return byCourier.length + byOrder.length;
}

/** The columns marked with 1 alone. */
export function restrictedRows(rows: PackingRows, isKept: Uint8Array): PackingRows {
  const { columns, priceStep: step } = rows;
  const [courierStart, byCourier] = filtered(rows.courierStart, rows.byCourier, isKept);
  const [orderStart, byOrder] = filtered(rows.orderStart, rows.byOrder, isKept);
  return { columns, courierStart, byCourier, orderStart, byOrder, priceStep: step };
}

function filtered(start: Int32Array, items: Int32Array, isKept: Uint8Array): [Int32Array, Int32Array] {
  const newStart = new Int32Array(start.length);
  const kept = new Int32Array(items.length);
  let count = 0;
  for (let row = 0; row + 1 < start.length; row++) {
    for (let at = start[row]!; at < start[row + 1]!; at++) {
      if (isKept[items[at]!] === 1) kept[count++] = items[at]!;
    }
    newStart[row + 1] = count;
  }
  return [newStart, kept.slice(0, count)];
}

function startsOf(rows: Int32Array, used: number, rowCount: number): Int32Array {
  const start = new Int32Array(rowCount + 1);
  for (let slot = 0; slot < used; slot++) start[rows[slot]! + 1]!++;
  for (let row = 0; row < rowCount; row++) start[row + 1]! += start[row]!;
  return start;
}

/** A power of two: a sum of one price an order and one profit a courier stays below 2^52 steps. */
export function priceStep(columns: ProfitColumns): number {
  let largest = 1;
  for (let column = 0; column < columns.count; column++) largest = Math.max(largest, columns.profit[column]!);
  const sum = largest * (columns.orderCount + columns.courierCount);
  let step = FINEST_STEP;
  while (sum / step >= 2 ** 52) step *= 2;
  return step;
}
