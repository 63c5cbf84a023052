import type { Point, Space } from '#schemas/domain';
import { projectPoints } from '../routing/index';
import { MAX_EXTENT_METRES } from './limits';

function median(points: readonly Point[], of: 'x' | 'y'): number {
  const values = new Float64Array(points.length);
  for (let at = 0; at < values.length; at += 1) values[at] = points[at]![of];
  return values.sort()[values.length >> 1] ?? 0;
}

function extentOf(points: readonly Point[], of: 'x' | 'y'): number {
  let [least, most] = [Infinity, -Infinity];
  for (const point of points) {
    if (point[of] < least) least = point[of];
    if (point[of] > most) most = point[of];
  }
  return most - least;
}

export interface FarPoint {
  /** Its number among the points. */
  readonly at: number;
  /** With x and y the other way round it would lie with the others. */
  readonly isSwapped: boolean;
}

const isNear = (a: Point, b: Point): boolean =>
  Math.abs(a.x - b.x) <= MAX_EXTENT_METRES && Math.abs(a.y - b.y) <= MAX_EXTENT_METRES;

function isSwapped(space: Space, { x, y }: Point, middle: Point): boolean {
  if (space === 'planar' || Math.abs(x) > 85) return false;
  const [there, swapped] = projectPoints(space, [middle, { x: y, y: x }]) as [Point, Point];
  return isNear(there, swapped);
}

/** Points far off the middle of all: swapped coordinates, or zeros for unknown ones. */
export function farPoints(space: Space, points: readonly Point[]): FarPoint[] {
  const metres = projectPoints(space, points);
  if (extentOf(metres, 'x') <= MAX_EXTENT_METRES && extentOf(metres, 'y') <= MAX_EXTENT_METRES) return [];
  const middle = { x: median(metres, 'x'), y: median(metres, 'y') };
  const given = { x: median(points, 'x'), y: median(points, 'y') };
  return metres.flatMap((point, at) =>
    isNear(point, middle) ? [] : [{ at, isSwapped: isSwapped(space, points[at]!, given) }],
  );
}

export function limitOfFar(whose: string, swapped: boolean): string {
  const limit = `within ${MAX_EXTENT_METRES} m of the ${whose} middle`;
  return swapped ? `${limit}; x is the longitude: swapped?` : limit;
}
