import type { PlaceId } from '#schemas/brands';
import type { Point } from '#schemas/domain';
import type { Place } from '../day';
import { Prng, seedOf } from './prng';
import type { Merchant } from './process';

export interface CityMerchant extends Merchant, Place {
  readonly popularity: number;
}

export interface City {
  readonly centre: Point;
  readonly merchants: readonly CityMerchant[];
  readonly quarters: readonly Quarter[];
}

/** A part of the city around a point, metres from the centre. */
export interface Quarter {
  readonly east: number;
  readonly north: number;
  readonly spreadMetres: number;
  readonly weight: number;
}

const centre: Point = { x: 13.405, y: 52.52 };
const metresPerDegreeNorth = 111_195;
const metresPerDegreeEast = metresPerDegreeNorth * Math.cos((centre.y * Math.PI) / 180);

/** Degrees with six decimals, about 0.1 m. */
function pointAt(east: number, north: number): Point {
  const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
  return {
    x: rounded(centre.x + east / metresPerDegreeEast),
    y: rounded(centre.y + north / metresPerDegreeNorth),
  };
}

export function pointNear(quarter: Quarter, prng: Prng, widening = 1): Point {
  const spread = quarter.spreadMetres * widening;
  return pointAt(
    Math.round(quarter.east + spread * prng.normal()),
    Math.round(quarter.north + spread * prng.normal()),
  );
}

/** A city of about 10 km with restaurants in a few quarters, the busiest in the middle. */
export function generateCity(seed: number, merchantCount: number): City {
  const prng = new Prng(seedOf(seed, 'city'));
  const quarters = [
    { east: 0, north: 0, spreadMetres: 500, weight: 3 },
    ...Array.from({ length: 6 }, () => ({
      east: prng.whole(-3800, 3800),
      north: prng.whole(-3800, 3800),
      spreadMetres: prng.whole(300, 600),
      weight: 0.6 + prng.unit(),
    })),
  ];
  const merchants = Array.from({ length: merchantCount }, (_, i): CityMerchant => {
    const quarter = quarters[prng.weighted(quarters.map(({ weight }) => weight))]!;
    return {
      placeId: `m${String(i).padStart(3, '0')}` as PlaceId,
      point: pointNear(quarter, prng),
      popularity: 0.3 + prng.unit() * prng.unit() * 3,
      prepMeanMinutes: clamp(13 * Math.exp(-0.07 + 0.38 * prng.normal()), 3, 45),
      prepCv: clamp(0.35 * Math.exp(0.4 * prng.normal()), 0.12, 0.9),
      waitMinutes: 2.2 * Math.exp(-0.08 + 0.4 * prng.normal()),
    };
  });
  return { centre, merchants, quarters };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
