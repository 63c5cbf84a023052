/** Of values in any order; null of none. */
export function quantileOf(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)]!;
}

/**
 * Of a histogram with cumulative buckets by their upper ends, as Prometheus' `histogram_quantile` has it: between the ends
 * of a bucket values lie evenly, and beyond the last end they count as that end. Null where nothing was counted.
 */
export function histogramQuantile(buckets: ReadonlyMap<number, number>, q: number): number | null {
  const ends = [...buckets].sort(([a], [b]) => a - b);
  const total = ends.at(-1)?.[1] ?? 0;
  if (total === 0) return null;
  const rank = q * total;
  const at = ends.findIndex(([, count]) => count >= rank);
  const [end, count] = ends[at]!;
  const [start, before] = at === 0 ? [0, 0] : ends[at - 1]!;
  if (end === Infinity) return start;
  return count === before ? end : start + ((end - start) * (rank - before)) / (count - before);
}
