import type {
  CourierId,
  OrderId,
  PlaceId,
  RoundId,
  RunId,
  Seconds,
  TenantId,
  UnixMs,
  ZoneId,
} from '#schemas/brands';
import type { Courier, DispatchRound, Order, RoundPolicy, Stop } from '#schemas/domain';
import { noOrderFeatures } from '#schemas/no-order-features';

const seconds = (value: number) => value as Seconds;

/** A policy of whole metres and seconds: 3,600 m/h on foot is 1 m/s, ten times that by car. */
export function buildPolicy(changes: Partial<RoundPolicy> = {}): RoundPolicy {
  return {
    weights: { lateness: 100, duration: 1, freshness: 10 },
    travel: {
      kind: 'speed',
      metresPerHour: { walk: 3_600, bike: 18_000, scooter: 36_000, car: 36_000 },
      quantumSeconds: seconds(1),
      known: true,
    },
    candidateRadiusMetres: 100_000,
    couriersPerBundle: 10,
    bundles: {
      maxOrders: 2,
      maxReadySpreadSeconds: seconds(600),
      maxDropoffSpreadMetres: 2_000,
      disjoint: false,
    },
    interleave: true,
    mergePickups: true,
    unassignedPenalty: { base: 1_000_000, perDeferral: 100_000 },
    reshuffleCost: 0,
    quantile: 'p50',
    modelLabel: 'stable',
    commitHorizonSeconds: null,
    context: { secondsOfDay: seconds(43_200), dayOfWeek: 0, rainPerMille: 0, trafficPerMille: 0 },
    ...changes,
  };
}

export function buildStop(placeId: string, x: number, y: number, changes: Partial<Stop> = {}): Stop {
  return {
    placeId: placeId as PlaceId,
    point: { x, y },
    preServiceSeconds: seconds(0),
    postServiceSeconds: seconds(0),
    ...changes,
  };
}

/** An order from restaurant `R` at the origin, ready at once and promised in an hour, all times known. */
export function buildOrder(id: string, changes: Partial<Order> = {}): Order {
  return {
    orderId: id as OrderId,
    pickup: buildStop('R', 0, 0),
    dropoff: buildStop(`home-${id}`, 100, 0),
    placedAt: seconds(0),
    readyAt: seconds(0),
    promisedAt: seconds(3_600),
    latestDropoffAt: null,
    size: 1,
    requiredSkills: [],
    timesDeferred: 0,
    known: { ready: true, pickupWait: true, handover: true },
    features: noOrderFeatures,
    ...changes,
  };
}

/** A courier on foot (1 m/s) at the origin for the whole day. */
export function buildCourier(id: string, changes: Partial<Courier> = {}): Courier {
  return {
    courierId: id as CourierId,
    position: { x: 0, y: 0 },
    availableAt: seconds(0),
    shiftEndsAt: seconds(86_400),
    vehicle: 'walk',
    capacity: 4,
    skills: [],
    held: [],
    tentativeOrderIds: [],
    ...changes,
  };
}

export function buildRound(changes: Partial<DispatchRound> = {}): DispatchRound {
  return {
    tenantId: 'default' as TenantId,
    runId: 'run' as RunId,
    roundId: 'round-1' as RoundId,
    zoneId: 'zone' as ZoneId,
    sequence: 1n,
    asOf: seconds(0),
    deadline: 1_900_000_000_000 as UnixMs,
    space: 'planar',
    policy: buildPolicy(),
    couriers: [],
    orders: [],
    cancelledOrderIds: [],
    ...changes,
  };
}
