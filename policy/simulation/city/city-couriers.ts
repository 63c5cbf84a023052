import type { CourierId, PlaceId, Seconds } from '#schemas/brands';
import { vehicles, type Vehicle } from '#schemas/domain';
import type { DayCourier } from '../day';
import { pointNear, type City } from './city';
import { Prng, seedOf } from './prng';

/** Share of the couriers by vehicle (walk, bike, scooter, car) and what each carries. */
const vehicleWeights = [0.05, 0.45, 0.35, 0.15];
const capacities: Readonly<Record<Vehicle, number>> = { walk: 2, bike: 3, scooter: 4, car: 6 };

/** Shifts as hours from..to with their share: lunch, afternoon, dinner, late. */
const shifts = [
  { from: 10, to: 15, weight: 0.24 },
  { from: 12, to: 18, weight: 0.14 },
  { from: 17, to: 22, weight: 0.4 },
  { from: 18, to: 23.5, weight: 0.22 },
];

export function generateCouriers(city: City, seed: number, count: number): DayCourier[] {
  return Array.from({ length: count }, (_, i) => {
    const prng = new Prng(seedOf(seed, 'courier', i));
    const courierId = `c${String(i).padStart(3, '0')}` as CourierId;
    const vehicle = vehicles[prng.weighted(vehicleWeights)]!;
    // Every share of shifts is filled in turn, so that a small fleet is not left without a lunch shift.
    const shift = shiftAt((i + 0.5) / count);
    const quarter = city.quarters[prng.weighted(city.quarters.map(({ weight }) => weight))]!;
    const jitter = 900 * prng.whole(0, 2);
    return {
      courierId,
      start: { placeId: `start-${courierId}` as PlaceId, point: pointNear(quarter, prng) },
      onAt: (shift.from * 3600 + jitter) as Seconds,
      offAt: (shift.to * 3600 + jitter) as Seconds,
      vehicle,
      capacity: capacities[vehicle],
      skills: prng.unit() < 0.85 ? ['age-check'] : [],
    };
  });
}

function shiftAt(share: number) {
  let left = share;
  for (const shift of shifts) {
    left -= shift.weight;
    if (left < 0) return shift;
  }
  return shifts[shifts.length - 1]!;
}
