import { mean } from '#policy/simulation/statistics';
import type { JudgedBy } from './options';
import type { Point } from './points';
import type { SweepResult } from './results-file';

/** A point with what it gave on each day; some days may have failed. */
export interface PointResults {
  readonly point: Point;
  readonly days: ReadonlyMap<string, SweepResult>;
}

/** Mean over the days; null where one of them has no result, since means over other days can't be compared. */
export function meanOf(
  { days }: PointResults,
  by: keyof SweepResult['metrics'],
  over: readonly string[],
): number | null {
  const values = over.map((day) => days.get(day)?.metrics[by]);
  return values.every((value) => value !== undefined) ? mean(values) : null;
}

/** The least mean first, points without one last; the earlier point of equals. */
export function ranked(
  points: readonly PointResults[],
  by: JudgedBy,
  over: readonly string[],
): PointResults[] {
  const mark = (one: PointResults) => meanOf(one, by, over) ?? Infinity;
  return points
    .map((point, at) => ({ point, at, mark: mark(point) }))
    .sort((a, b) => (a.mark === b.mark ? a.at - b.at : a.mark - b.mark))
    .map(({ point }) => point);
}

export interface HeldOut {
  readonly days: readonly string[];
  /** The best by the other days. */
  readonly chosen: Point;
  readonly othersMean: number;
  /** On the days that were left out: the chosen point, and the policy as it is. */
  readonly heldOutMean: number;
  readonly asItIs: number | null;
}

/** `count` days at a time are left out, each once; the point is chosen without them and judged by them. */
export function leaveOut(
  points: readonly PointResults[],
  { days, by, count }: { readonly days: readonly string[]; readonly by: JudgedBy; readonly count: number },
): HeldOut[] {
  if (count === 0) return [];
  const folds = Array.from({ length: Math.ceil(days.length / count) }, (_, at) =>
    days.slice(at * count, (at + 1) * count),
  );
  return folds.flatMap((held) => {
    const others = days.filter((day) => !held.includes(day));
    const [best] = ranked(points, by, others);
    const [othersMean, heldOutMean] = [others, held].map((over) => best && meanOf(best, by, over));
    if (best === undefined || typeof othersMean !== 'number' || typeof heldOutMean !== 'number') return [];
    const base = points.find(({ point }) => Object.keys(point).length === 0);
    const asItIs = base === undefined ? null : meanOf(base, by, held);
    return [{ days: held, chosen: best.point, othersMean, heldOutMean, asItIs }];
  });
}
