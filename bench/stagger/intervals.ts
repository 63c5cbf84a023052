export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** [0, 4], [3, 6] and [8, 9] are [0, 6] and [8, 9]. */
export function unionOf(intervals: readonly Interval[]): Interval[] {
  const union: { start: number; end: number }[] = [];
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = union.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else union.push({ start, end });
  }
  return union;
}

/** Of two lists that are unions. */
export function intersection(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [one, other] = [a[i]!, b[j]!];
    const start = Math.max(one.start, other.start);
    const end = Math.min(one.end, other.end);
    if (end > start) both.push({ start, end });
    if (one.end < other.end) i += 1;
    else j += 1;
  }
  return both;
}
