import type { Seconds, TenantId, ZoneId } from '#schemas/brands';
import type { Order, Point, RoundPolicy, Vehicle } from '#schemas/domain';
import { distanceMetres, projectPoints } from '../../routing/index';
import type { Day, RoundView, Truth } from '../day';
import { generateCity } from './city';
import { generateCouriers } from './city-couriers';
import { generateOrders, type CityOrder } from './city-orders';
import { Prng, seedOf } from './prng';
import { drawRideFactor, trafficAt, type Weather } from './process';

export interface CityDayOptions {
  readonly seed?: number;
  readonly couriers?: number;
  readonly orders?: number;
  readonly merchants?: number;
  readonly roundSeconds?: number;
}

const cityMetresPerHour: Readonly<Record<Vehicle, number>> = {
  walk: 4_500,
  bike: 13_000,
  scooter: 18_000,
  car: 20_000,
};

/** One weather for the whole day. */
const weather: Weather = { rain: 0.15, isWeekend: true };
const saturday = 5;

/**
 * The bundled day: about 60 couriers and 600 orders in an invented city, the same for the same seed. The
 * dispatcher knows estimates only; what really happens is drawn from the process of docs/etr.md.
 */
export function cityDay(options: CityDayOptions = {}): Day {
  const seed = options.seed ?? 20_181_130;
  const city = generateCity(seed, options.merchants ?? 80);
  const orders = generateOrders(city, seed, options.orders ?? 600, weather);
  return {
    name: 'city',
    tenantId: 'city' as TenantId,
    zoneId: 'city' as ZoneId,
    space: 'wgs84',
    startsAt: (10 * 3600) as Seconds,
    roundSeconds: (options.roundSeconds ?? 300) as Seconds,
    couriers: generateCouriers(city, seed, options.couriers ?? 60),
    orders: orders.map(({ order }) => order),
    truth: cityTruth(orders, seed),
    couriersAre: 'held',
    shiftLookaheadSeconds: 1200 as Seconds,
    offerHorizonSeconds: null,
    maxRoundsAfterLastOrder: 24,
    policyAt: cityPolicy,
  };
}

/** Every draw hangs on its own name alone, so that a decision can't change another order's fate. */
function cityTruth(orders: readonly CityOrder[], seed: number): Truth {
  const byId = new Map(orders.map(({ order, truth }) => [order.orderId, truth]));
  const timesOf = (order: Order) => byId.get(order.orderId)!;
  return {
    readyAt: (order) => (order.placedAt + timesOf(order).prepSeconds) as Seconds,
    pickupPostSeconds: (order) => timesOf(order).waitSeconds as Seconds,
    dropoffPostSeconds: (order) => timesOf(order).handoverSeconds as Seconds,
    travelSeconds: (vehicle, from, to, departAt) => trueRide(seed, vehicle, from, to, departAt),
  };
}

function trueRide(seed: number, vehicle: Vehicle, from: Point, to: Point, departAt: Seconds): Seconds {
  const [a, b] = projectPoints('wgs84', [from, to]) as [Point, Point];
  const seconds = (distanceMetres(a.x - b.x, a.y - b.y) * 3600) / cityMetresPerHour[vehicle];
  const prng = new Prng(seedOf(seed, 'ride', vehicle, from.x, from.y, to.x, to.y));
  return Math.ceil(seconds * drawRideFactor(vehicle, departAt, weather, prng)) as Seconds;
}

function cityPolicy({ asOf }: RoundView): RoundPolicy {
  const perMille = (share: number) => Math.round(1000 * share);
  return {
    weights: { lateness: 4, duration: 1, freshness: 10 },
    travel: { kind: 'speed', metresPerHour: cityMetresPerHour, quantumSeconds: 1 as Seconds, known: false },
    candidateRadiusMetres: 6_000,
    couriersPerBundle: 20,
    bundles: {
      maxOrders: 3,
      maxReadySpreadSeconds: 900 as Seconds,
      maxDropoffSpreadMetres: 2_500,
      disjoint: false,
    },
    interleave: true,
    mergePickups: true,
    unassignedPenalty: { base: 36_000, perDeferral: 6_000 },
    reshuffleCost: 0,
    quantile: 'p50',
    modelLabel: 'stable',
    commitHorizonSeconds: 420 as Seconds,
    context: {
      secondsOfDay: (asOf % 86_400) as Seconds,
      dayOfWeek: saturday,
      rainPerMille: perMille(weather.rain),
      trafficPerMille: perMille(trafficAt(asOf, weather)),
    },
  };
}
