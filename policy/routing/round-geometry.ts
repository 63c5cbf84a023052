import type { DispatchRound, Point, Vehicle } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { projectPoints } from './project-points';
import { distanceMetres, matrixTravelSeconds, travelSeconds } from './travel-seconds';
import type { TravelMatrix } from './travel-matrix';

const NO_ZONE = -1;
const NO_PLACE = -1;
/** Ride factor 1, per mille. */
const FACTOR_ONE = 1000;
/** By vehicle code; what a round with `travel.known` uses, and the backend's output otherwise. */
export type RideFactors = readonly number[];
export const noRideFactors: RideFactors = vehicles.map(() => FACTOR_ONE);

/** Places of a round, each once, and who is where (indices of places). */
export interface RoundGeometry {
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly zone: Int32Array;
  readonly courierPlace: Int32Array;
  readonly pickupPlace: Int32Array;
  readonly dropoffPlace: Int32Array;
}

interface PlaceRequest {
  readonly point: Point;
  readonly zone: number;
  /** Pickups are one place only if they are one restaurant; elsewhere the spot alone counts. */
  readonly restaurant: string;
}

function placeRequests(round: DispatchRound): PlaceRequest[] {
  const zoneOf = (zone: number | undefined) => zone ?? NO_ZONE;
  return [
    ...round.couriers.map((c) => ({ point: c.position, zone: zoneOf(c.travelZone), restaurant: '' })),
    ...round.orders.map(({ pickup }) => ({
      point: pickup.point,
      zone: zoneOf(pickup.travelZone),
      restaurant: `r${pickup.placeId}`,
    })),
    ...round.orders.map(({ dropoff }) => ({
      point: dropoff.point,
      zone: zoneOf(dropoff.travelZone),
      restaurant: '',
    })),
  ];
}

/** Spots have their own numbers up to 2^26 metres; beyond, some share one and are told apart by their metres. */
const SPOT_ROOM = 2 ** 26;

/** Numbers places in order of first use: equal metres, zone and restaurant are one place. */
class Places {
  readonly x: number[] = [];
  readonly y: number[] = [];
  readonly zone: number[] = [];
  private readonly restaurant: string[] = [];
  /** The last place at a spot, and for each place the one before it at the same spot. */
  private readonly lastAt = new Map<number, number>();
  private readonly before: number[] = [];

  numberOf(x: number, y: number, zone: number, restaurant: string): number {
    const spot = x * SPOT_ROOM + y;
    const last = this.lastAt.get(spot) ?? NO_PLACE;
    for (let place = last; place !== NO_PLACE; place = this.before[place]!) {
      if (this.isAt(place, x, y, zone, restaurant)) return place;
    }
    this.lastAt.set(spot, this.x.length);
    this.before.push(last);
    this.y.push(y);
    this.zone.push(zone);
    this.restaurant.push(restaurant);
    return this.x.push(x) - 1;
  }

  private isAt(place: number, x: number, y: number, zone: number, restaurant: string): boolean {
    if (this.x[place] !== x || this.y[place] !== y) return false;
    return this.zone[place] === zone && this.restaurant[place] === restaurant;
  }
}

/** Depends on the round alone, so that ingest and the aggregator see the same metres and merges. */
export function roundGeometry(round: DispatchRound): RoundGeometry {
  const requests = placeRequests(round);
  const points = projectPoints(
    round.space,
    requests.map(({ point }) => point),
  );
  const places = new Places();
  const placeOf = new Int32Array(requests.length);
  for (let i = 0; i < requests.length; i += 1) {
    const { zone, restaurant } = requests[i]!;
    const { x, y } = points[i]!;
    placeOf[i] = places.numberOf(x, y, zone, restaurant);
  }
  const couriers = round.couriers.length;
  const orders = round.orders.length;
  return {
    x: Int32Array.from(places.x),
    y: Int32Array.from(places.y),
    zone: Int32Array.from(places.zone),
    courierPlace: placeOf.subarray(0, couriers),
    pickupPlace: placeOf.subarray(couriers, couriers + orders),
    dropoffPlace: placeOf.subarray(couriers + orders),
  };
}

export function placeDistance(geometry: RoundGeometry, from: number, to: number): number {
  return distanceMetres(geometry.x[to]! - geometry.x[from]!, geometry.y[to]! - geometry.y[from]!);
}

/** Seconds from place to place for a vehicle. */
export type TravelTime = (from: number, to: number, vehicle: Vehicle) => number;

/** The travel model of a round; a matrix round needs its matrix (TRAVEL_MATRIX_UNKNOWN without it). */
export function travelTime(
  round: DispatchRound,
  geometry: RoundGeometry,
  factors: RideFactors = noRideFactors,
  matrix?: TravelMatrix,
): TravelTime {
  const { travel } = round.policy;
  const quantum = travel.quantumSeconds;
  const factorOf = (vehicle: Vehicle) => factors[vehicles.indexOf(vehicle)]!;
  if (travel.kind === 'speed') {
    return (from, to, vehicle) =>
      travelSeconds(
        placeDistance(geometry, from, to),
        travel.metresPerHour[vehicle],
        quantum,
        factorOf(vehicle),
      );
  }
  if (matrix?.contentHash !== travel.contentHash) {
    throw new RoundhouseError('TRAVEL_MATRIX_UNKNOWN', `no travel matrix ${travel.contentHash}`);
  }
  return (from, to, vehicle) => {
    const seconds = matrix.secondsByVehicle[vehicles.indexOf(vehicle)];
    if (!seconds) {
      throw new RoundhouseError('TRAVEL_MATRIX_UNKNOWN', `matrix ${matrix.contentHash} has no ${vehicle}`);
    }
    const entry = seconds[geometry.zone[from]! * matrix.zones + geometry.zone[to]!]!;
    return matrixTravelSeconds(entry, quantum, factorOf(vehicle));
  };
}
