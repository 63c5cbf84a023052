import type { ProfitColumns } from './profit-columns';

/** The same number for equal order sets; null where two sets overlap without being equal. */
export function disjointBundles(columns: ProfitColumns): { bundleOf: Int32Array; count: number } | null {
  const { orderStart, orders } = columns;
  const ofOrder = new Int32Array(columns.orderCount).fill(-1);
  const sizes: number[] = [];
  const bundleOf = new Int32Array(columns.count);
  for (let column = 0; column < columns.count; column++) {
    const from = orderStart[column]!;
    const size = orderStart[column + 1]! - from;
    const known = ofOrder[orders[from]!]!;
    const bundle = known >= 0 ? known : sizes.length;
    for (let slot = from; slot < from + size; slot++) {
      const order = orders[slot]!;
      if (ofOrder[order] !== known) return null;
      ofOrder[order] = bundle;
    }
    if (known < 0) sizes.push(size);
    else if (sizes[known] !== size) return null;
    bundleOf[column] = bundle;
  }
  return { bundleOf, count: sizes.length };
}
