import type { ProfitColumns } from './profit-columns';

/** Prices are multiples of this or of a larger power of two, so that their sums are exact in doubles. */
const FINEST_STEP = 2 ** -16;

/**
 * Columns of courier c: `byCourier[courierStart[c]] … byCourier[courierStart[c + 1] − 1]`, the larger
 * profit first; those of an order likewise in `byOrder`.
 */
export interface PackingRows {
  readonly columns: ProfitColumns;
  readonly courierStart: Int32Array;
  readonly byCourier: Int32Array;
  readonly orderStart: Int32Array;
  readonly byOrder: Int32Array;
  readonly priceStep: number;
}

export function packingRows(columns: ProfitColumns): PackingRows {
  const { count, courier, orders, profit } = columns;
  const slots = columns.orderStart[count]!;
  const courierStart = startsOf(courier, count, columns.courierCount);
  const orderStart = startsOf(orders, slots, columns.orderCount);
  const byCourier = new Int32Array(count);
  const byOrder = new Int32Array(slots);
  const nextOfCourier = courierStart.slice();
  const nextOfOrder = orderStart.slice();
  const byProfit = Int32Array.from({ length: count }, (_, column) => column);
  byProfit.sort((a, b) => profit[b]! - profit[a]! || a - b);
  for (const column of byProfit) {
    byCourier[nextOfCourier[courier[column]!]!++] = column;
    for (let slot = columns.orderStart[column]!; slot < columns.orderStart[column + 1]!; slot++) {
      byOrder[nextOfOrder[orders[slot]!]!++] = column;
    }
  }
  return { columns, courierStart, byCourier, orderStart, byOrder, priceStep: priceStep(columns) };
}

/** The same with fewer columns. */
export function restrictedRows(rows: PackingRows, isKept: (column: number) => boolean): PackingRows {
  const couriers = filtered(rows.courierStart, rows.byCourier, isKept);
  const orders = filtered(rows.orderStart, rows.byOrder, isKept);
  const [courierStart, byCourier, orderStart, byOrder] = [...couriers, ...orders];
  return { ...rows, courierStart, byCourier, orderStart, byOrder };
}

function filtered(
  start: Int32Array,
  items: Int32Array,
  isKept: (column: number) => boolean,
): [Int32Array, Int32Array] {
  const newStart = new Int32Array(start.length);
  const kept = new Int32Array(items.length);
  let count = 0;
  for (let row = 0; row + 1 < start.length; row++) {
    for (let at = start[row]!; at < start[row + 1]!; at++) if (isKept(items[at]!)) kept[count++] = items[at]!;
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
function priceStep(columns: ProfitColumns): number {
  let largest = 1;
  for (let column = 0; column < columns.count; column++) largest = Math.max(largest, columns.profit[column]!);
  const sum = largest * (columns.orderCount + columns.courierCount);
  let step = FINEST_STEP;
  while (sum / step >= 2 ** 52) step *= 2;
  return step;
}
