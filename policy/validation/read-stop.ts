import type { PlaceId, Seconds } from '#schemas/brands';
import type { Point, Space, Stop } from '#schemas/domain';
import type { Fields } from './fields';
import { MAX_PLANAR, MAX_SERVICE_SECONDS, MAX_TRAVEL_ZONE } from './limits';

/** Longitude and latitude; beyond 85° metres east of an origin say little. */
const ranges = {
  planar: { x: { min: -MAX_PLANAR, max: MAX_PLANAR }, y: { min: -MAX_PLANAR, max: MAX_PLANAR } },
  wgs84: { x: { min: -180, max: 180 }, y: { min: -85, max: 85 } },
} as const;

/** Stands for a point with a fault; such a round is refused. */
const noPoint: Point = { x: NaN, y: NaN };

export function readPoint(fields: Fields, name: string, space: Space): Point {
  if (!fields.has(name)) {
    fields.raw(name);
    fields.fault(name, undefined, 'a point {x, y}');
    return noPoint;
  }
  const before = fields.faults.count;
  const point = fields.object(name, (coordinates) => ({
    x: coordinates.number('x', ranges[space].x),
    y: coordinates.number('y', ranges[space].y),
  }));
  return fields.faults.count === before ? point : noPoint;
}

/** `travelZone` is required where travel is by matrix. */
export function readTravelZone(fields: Fields, byMatrix: boolean): { travelZone?: number } {
  const range = { min: 0, max: MAX_TRAVEL_ZONE };
  if (!byMatrix && !fields.has('travelZone')) {
    fields.raw('travelZone');
    return {};
  }
  return { travelZone: fields.integer('travelZone', range) };
}

export function readStop(
  fields: Fields,
  name: string,
  space: Space,
  byMatrix: boolean,
  placeId: string,
): Stop {
  const service = { min: 0, max: MAX_SERVICE_SECONDS };
  if (!fields.has(name)) fields.fault(name, undefined, 'a stop {point, placeId, …}');
  return fields.object(name, (stop) => ({
    placeId: stop.id('placeId', placeId) as PlaceId,
    point: fields.has(name) ? readPoint(stop, 'point', space) : noPoint,
    ...(fields.has(name) ? readTravelZone(stop, byMatrix) : {}),
    preServiceSeconds: stop.integer('preServiceSeconds', service, 0) as Seconds,
    postServiceSeconds: stop.integer('postServiceSeconds', service, 0) as Seconds,
  }));
}
