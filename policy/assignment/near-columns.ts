import type { OrderPrices } from './order-prices';
import type { PackingRows } from './packing-rows';

/**
 * The columns that can stand in a solution better than `known`: a solution with column k has a profit of at
 * most bound − (largest reduced profit of the courier, at least 0) + (reduced profit of k). A `reach` above 1 takes in more.
 */
export interface NearColumns {
  readonly reduced: Float64Array;
  /** Largest reduced profit of each courier, at least 0. */
  readonly best: Float64Array;
  isNear(column: number): boolean;
  readonly ofCourier: readonly Int32Array[];
  readonly ofOrder: readonly Int32Array[];
}

export function nearColumns(rows: PackingRows, prices: OrderPrices, known: number, reach = 1): NearColumns {
  const { columns } = rows;
  const reduced = new Float64Array(columns.count);
  const best = new Float64Array(columns.courierCount);
  for (const column of rows.byCourier) {
    reduced[column] = prices.reduced(column, prices.best);
    const courier = columns.courier[column]!;
    best[courier] = Math.max(best[courier]!, reduced[column]!);
  }
  const slack = reach * (prices.bound - known);
  const isNear = (column: number) => best[columns.courier[column]!]! - reduced[column]! <= slack;
  const larger = (a: number, b: number) => reduced[b]! - reduced[a]! || a - b;
  const lists = (start: Int32Array, items: Int32Array, count: number) =>
    Array.from({ length: count }, (_, row) =>
      items
        .slice(start[row]!, start[row + 1]!)
        .filter(isNear)
        .sort(larger),
    );
  return {
    reduced,
    best,
    isNear,
    ofCourier: lists(rows.courierStart, rows.byCourier, columns.courierCount),
    ofOrder: lists(rows.orderStart, rows.byOrder, columns.orderCount),
  };
}
