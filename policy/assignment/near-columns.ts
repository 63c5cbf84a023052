import type { OrderPrices } from './order-prices';
import { restrictedRows, type PackingRows } from './packing-rows';

/**
 * The columns that can stand in a solution better than `known`: a solution with column k has a profit of at
 * most bound − (largest reduced profit of the courier, at least 0) + (reduced profit of k). A `reach` above 1 takes in more.
 */
export interface NearColumns {
  readonly reduced: Float64Array;
  /** Largest reduced profit of each courier, at least 0. */
  readonly best: Float64Array;
  /** 1 for those columns. */
  readonly isNear: Uint8Array;
  /** Those columns alone. */
  readonly rows: PackingRows;
}

export function nearColumns(rows: PackingRows, prices: OrderPrices, known: number, reach = 1): NearColumns {
  const { columns, byCourier } = rows;
  const { courier } = columns;
  const reduced = new Float64Array(columns.count);
  const best = new Float64Array(columns.courierCount);
  for (let at = 0; at < byCourier.length; at++) {
    const column = byCourier[at]!;
    const value = prices.reduced(column, prices.best);
    reduced[column] = value;
    if (value > best[courier[column]!]!) best[courier[column]!] = value;
  }
  const slack = reach * (prices.bound - known);
  const isNear = new Uint8Array(columns.count);
  for (let at = 0; at < byCourier.length; at++) {
    const column = byCourier[at]!;
    if (best[courier[column]!]! - reduced[column]! <= slack) isNear[column] = 1;
  }
  return { reduced, best, isNear, rows: restrictedRows(rows, isNear) };
}
