import type { PlaceId } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import type { Fields } from './fields';
import { MAX_DEMAND_PLACES, MAX_WEIGHT } from './limits';
import type { RoundFrame } from './read-order';
import { readPoint, readTravelZone } from './read-stop';

/** The round's `demand`, where it has one. */
export function readDemand(fields: Fields, { space, byMatrix }: RoundFrame): Pick<DispatchRound, 'demand'> {
  const isThere = fields.has('demand');
  const demand = fields.objects('demand', MAX_DEMAND_PLACES, (place) => ({
    placeId: place.id('placeId') as PlaceId,
    point: readPoint(place, 'point', space),
    ...readTravelZone(place, byMatrix),
    weight: place.integer('weight', { min: 0, max: MAX_WEIGHT }, 1_000),
  }));
  return isThere ? { demand } : {};
}
