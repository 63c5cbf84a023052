/** Nearest-rank percentile of a sorted copy; NaN for no values. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Length of the union of intervals: [0, 4] and [3, 6] and [8, 9] cover 6 + 1 = 7. */
export function unionLength(intervals: readonly Interval[]): number {
  const sorted = [...intervals].sort((a, b) => a.start - b.start);
  let covered = 0;
  let reach = -Infinity;
  for (const { start, end } of sorted) {
    if (end > reach) covered += end - Math.max(start, reach);
    reach = Math.max(reach, end);
  }
  return covered;
}

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));
