import { candidateTable, planningView } from '../../candidates/index';
import { generateCity, pointNear, type City } from './city';
import { generateCouriers } from './city-couriers';
import { generateOrders } from './city-orders';
import { Prng, seedOf } from './prng';
import type { CourierId, OrderId, RoundId, RunId, Seconds, TenantId, UnixMs, ZoneId } from '#schemas/brands';
import type { Courier, DispatchRound, Order, RoundPolicy } from '#schemas/domain';

export interface CityPolicy {
  readonly candidateRadiusMetres?: number;
  readonly couriersPerBundle?: number;
  readonly bundleOrders?: number;
  readonly maxDropoffSpreadMetres?: number;
}

export interface CityRoundOptions {
  readonly seed: number;
  readonly couriers: number;
  /** Open ones; those that couriers hold come on top. */
  readonly orders: number;
  /** At most, and nearly; null: whatever `policy` gives. */
  readonly candidates: number | null;
  readonly policy: CityPolicy;
}

const weather = { rain: 0.15, isWeekend: true };
/** Saturday at dinner. */
const asOf = (5 * 86_400 + 19 * 3_600) as Seconds;
/** Couriers by the orders that they hold: none, one, two, three. */
const heldWeights = [0.4, 0.3, 0.2, 0.1];
/** An order waits at most so long for its round. */
const placedWithinSeconds = 1_200;
const courierSpreadMetres = 400;
const widestSpreadMetres = 20_000;

/** Orders of the city's process, placed in the last minutes before the round. */
function ordersOf(city: City, seed: number, count: number): Order[] {
  const prng = new Prng(seedOf(seed, 'placed'));
  return generateOrders(city, seed, count, weather).map(({ order }, index) => {
    const placedAt = asOf - prng.whole(0, placedWithinSeconds);
    const later = (time: number) => (placedAt + time - order.placedAt) as Seconds;
    return {
      ...order,
      orderId: `order-${index}` as OrderId,
      placedAt: placedAt as Seconds,
      readyAt: later(order.readyAt),
      promisedAt: later(order.promisedAt),
      latestDropoffAt: null,
    };
  });
}

/** Couriers of the city; one that holds orders is near the restaurant of its first. */
function couriersOf(city: City, seed: number, heldBy: readonly Order[][]): Courier[] {
  return generateCouriers(city, seed, heldBy.length).map(({ start, vehicle, capacity, skills }, index) => {
    const prng = new Prng(seedOf(seed, 'position', index));
    const held = heldBy[index]!.map((order) => ({ order, onBoard: prng.unit() < 0.5 }));
    const sizes = held.reduce((sum, { order }) => sum + order.size, 0);
    return {
      courierId: `courier-${index}` as CourierId,
      position: held.length === 0 ? start.point : nearPoint(held[0]!.order.pickup.point, prng),
      availableAt: (asOf + prng.whole(0, 300)) as Seconds,
      shiftEndsAt: (asOf + 3_600 * prng.whole(1, 5)) as Seconds,
      vehicle,
      capacity: Math.max(capacity, sizes) + 2,
      skills,
      held: held.map(({ order, onBoard }) => ({ orderId: order.orderId, onBoard })),
      tentativeOrderIds: [],
    };
  });
}

function nearPoint(point: { x: number; y: number }, prng: Prng): { x: number; y: number } {
  const origin = pointNear({ east: 0, north: 0, spreadMetres: 0, weight: 1 }, prng);
  const moved = pointNear({ east: 0, north: 0, spreadMetres: courierSpreadMetres, weight: 1 }, prng);
  return { x: point.x + moved.x - origin.x, y: point.y + moved.y - origin.y };
}

/** Who holds what: orders of one restaurant, or of neighbours in the list, go to one courier. */
function holdings(seed: number, couriers: number): number[] {
  const prng = new Prng(seedOf(seed, 'held'));
  return Array.from({ length: couriers }, () => prng.weighted(heldWeights));
}

function policyOf({ policy }: CityRoundOptions): RoundPolicy {
  return {
    weights: { lateness: 4, duration: 1, freshness: 10 },
    travel: {
      kind: 'speed',
      metresPerHour: { walk: 4_500, bike: 13_000, scooter: 18_000, car: 20_000 },
      quantumSeconds: 1 as Seconds,
      known: false,
    },
    candidateRadiusMetres: policy.candidateRadiusMetres ?? 6_000,
    couriersPerBundle: policy.couriersPerBundle ?? 20,
    bundles: {
      maxOrders: policy.bundleOrders ?? 2,
      maxReadySpreadSeconds: 600 as Seconds,
      maxDropoffSpreadMetres: policy.maxDropoffSpreadMetres ?? 2_000,
      disjoint: false,
    },
    interleave: true,
    mergePickups: true,
    unassignedPenalty: { base: 36_000, perDeferral: 6_000 },
    reshuffleCost: 0,
    quantile: 'p50',
    modelLabel: 'stable',
    commitHorizonSeconds: null,
    context: {
      secondsOfDay: (asOf % 86_400) as Seconds,
      dayOfWeek: 5,
      rainPerMille: 150,
      trafficPerMille: 600,
    },
  };
}

function cityRound(options: CityRoundOptions, seed: number): DispatchRound {
  const counts = holdings(seed, options.couriers);
  const held = counts.reduce((sum, count) => sum + count, 0);
  const merchants = Math.max(20, Math.round(options.orders / 8));
  const city = generateCity(seed, merchants);
  const orders = ordersOf(city, seed, options.orders + held);
  const taken = orders.slice(0, held).sort((a, b) => (a.pickup.placeId < b.pickup.placeId ? -1 : 1));
  let next = 0;
  const heldBy = counts.map((count) => taken.slice(next, (next += count)));
  return {
    tenantId: 'default' as TenantId,
    runId: 'bench' as RunId,
    roundId: 'city' as RoundId,
    zoneId: 'city' as ZoneId,
    sequence: 1n,
    asOf,
    deadline: 0 as UnixMs,
    space: 'wgs84',
    policy: policyOf(options),
    couriers: couriersOf(city, seed, heldBy),
    orders,
    cancelledOrderIds: [],
  };
}

const countOf = (round: DispatchRound): number =>
  candidateTable(planningView(round), Number.MAX_SAFE_INTEGER).count;

function withPolicy(round: DispatchRound, changes: Partial<RoundPolicy>): DispatchRound {
  return { ...round, policy: { ...round.policy, ...changes } };
}

const withSpread = (round: DispatchRound, maxDropoffSpreadMetres: number): DispatchRound =>
  withPolicy(round, { bundles: { ...round.policy.bundles, maxDropoffSpreadMetres } });

/** Largest argument for which the count is at most `limit`; the count grows with it. */
export function largestWithin(
  low: number,
  high: number,
  limit: number,
  count: (n: number) => number,
): number {
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(middle) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The round with about `candidates` candidates: by the couriers a bundle, then by how far drop-offs may lie apart. */
function sized(round: DispatchRound, candidates: number): DispatchRound {
  const withCouriers = (couriersPerBundle: number) => withPolicy(round, { couriersPerBundle });
  const most = round.couriers.length;
  const fit = largestWithin(1, most, candidates, (k) => countOf(withCouriers(k)));
  const wider = withCouriers(Math.min(most, fit + 1));
  const spread = largestWithin(0, widestSpreadMetres, candidates, (m) => countOf(withSpread(wider, m)));
  return withSpread(wider, spread);
}

/**
 * Rounds of an invented city at dinner time, with couriers that hold up to three orders and bundles of
 * orders of one restaurant. Same options, same rounds.
 */
export function cityRounds(options: CityRoundOptions, count: number): DispatchRound[] {
  return Array.from({ length: count }, (_, index) => {
    const round = cityRound(options, seedOf(options.seed, 'round', index));
    return options.candidates === null ? round : sized(round, options.candidates);
  });
}
