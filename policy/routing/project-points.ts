import type { Point, Space } from '#schemas/domain';

/** Mean earth radius in metres (IUGG R1), one degree of a great circle. */
const metresPerDegree = (6_371_008.8 * Math.PI) / 180;

const roundTo = (value: number, step: number): number => Math.round(value / step) * step;

/** Degrees east of the origin in −180..180, so that a zone may lie across the antimeridian. */
function degreesEast(longitude: number, origin: number): number {
  const difference = longitude - origin;
  return difference - 360 * Math.round(difference / 360);
}

/**
 * Whole planar metres of all points of one round. Planar points are rounded; WGS84 points are projected
 * (equirectangular) about an origin on a grid of half degrees near their middle, so that rounds of one
 * zone see the same metres. The origin depends on the set of points: always project the whole round.
 */
export function projectPoints(space: Space, points: readonly Point[]): Point[] {
  if (space === 'planar') return points.map(({ x, y }) => ({ x: Math.round(x) + 0, y: Math.round(y) + 0 }));
  const first = points[0];
  if (first === undefined) return [];
  let south = first.y;
  let north = first.y;
  for (const { y } of points) {
    south = Math.min(south, y);
    north = Math.max(north, y);
  }
  const latitude = roundTo((south + north) / 2, 0.5);
  const longitude = roundTo(first.x, 0.5);
  const metresPerDegreeEast = metresPerDegree * Math.cos((latitude * Math.PI) / 180);
  return points.map(({ x, y }) => ({
    x: Math.round(degreesEast(x, longitude) * metresPerDegreeEast) + 0,
    y: Math.round((y - latitude) * metresPerDegree) + 0,
  }));
}
