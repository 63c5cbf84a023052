import type { CourierId, OrderId, PlaceId, Seconds, TenantId, ZoneId } from '#schemas/brands';
import type { Order, RoundPolicy, Stop } from '#schemas/domain';
import { noOrderFeatures } from '#schemas/no-order-features';
import { distanceMetres, travelSeconds } from '../../routing/index';
import type { Day, DayCourier, RoundView, Truth } from '../day';
import type { DemandModel } from '../expected-demand';
import type { MdrpCourier, MdrpInstance, MdrpOrder, MdrpParameters } from './instance';

const MINUTE = 60;

export interface MdrpDayOptions {
  readonly name: string;
  readonly roundMinutes: number;
  readonly offerHorizonSeconds: Seconds | null;
  readonly shiftLookaheadSeconds: Seconds;
  /** Absent: nothing is said of the orders that are expected. */
  readonly demand?: Omit<DemandModel, 'restaurants'>;
  policyAt(view: RoundView, parameters: MdrpParameters): RoundPolicy;
}

/** A day of the benchmark as rounds: planar space, all times known, service half before and half after. */
export function mdrpDay(instance: MdrpInstance, options: MdrpDayOptions): Day {
  const { parameters, couriers } = instance;
  const firstAt = Math.min(...instance.orders.map((order) => order.placedAt));
  return {
    name: options.name,
    tenantId: 'mdrp' as TenantId,
    zoneId: options.name as ZoneId,
    space: 'planar',
    startsAt: (Math.floor(firstAt / options.roundMinutes) * options.roundMinutes * MINUTE) as Seconds,
    roundSeconds: (options.roundMinutes * MINUTE) as Seconds,
    couriers: couriers.map((courier) => dayCourier(courier, parameters)),
    orders: instance.orders.map((order) => dayOrder(order, instance)),
    truth: knownTruth(metresPerHour(parameters)),
    couriersAre: 'committed',
    shiftLookaheadSeconds: options.shiftLookaheadSeconds,
    offerHorizonSeconds: options.offerHorizonSeconds,
    ...(options.demand && { demand: { ...options.demand, restaurants: restaurantPlaces(instance) } }),
    maxRoundsAfterLastOrder: Math.ceil(roundsAfterLastOrder(instance) / options.roundMinutes) + 1,
    policyAt: (view) => options.policyAt(view, parameters),
  };
}

export function metresPerHour(parameters: MdrpParameters): number {
  return parameters.metresPerMinute * 60;
}

/** Minutes from the last placement to the end of the last shift. */
function roundsAfterLastOrder({ orders, couriers }: MdrpInstance): number {
  const lastOrder = Math.max(...orders.map((order) => order.placedAt));
  return Math.max(0, ...couriers.map((courier) => courier.offAt - lastOrder));
}

function dayCourier(
  { id, x, y, onAt, offAt }: MdrpCourier,
  { guaranteedPayPerHour, payPerOrder }: MdrpParameters,
): DayCourier {
  const guaranteed = (guaranteedPayPerHour * (offAt - onAt)) / 60;
  return {
    courierId: id as CourierId,
    start: { placeId: id as PlaceId, point: { x, y } },
    onAt: (onAt * MINUTE) as Seconds,
    offAt: (offAt * MINUTE) as Seconds,
    vehicle: 'car',
    capacity: 100,
    skills: [],
    ...(payPerOrder > 0 && { coveredOrders: Math.round(guaranteed / payPerOrder) }),
  };
}

function restaurantPlaces({ restaurants }: MdrpInstance): DemandModel['restaurants'] {
  return Array.from(restaurants.values(), ({ id, x, y }) => ({ placeId: id as PlaceId, point: { x, y } }));
}

function dayOrder(order: MdrpOrder, { parameters, restaurants }: MdrpInstance): Order {
  const restaurant = restaurants.get(order.restaurant)!;
  return {
    orderId: order.id as OrderId,
    pickup: stop(restaurant, parameters.pickupServiceMinutes),
    dropoff: stop(order, parameters.dropoffServiceMinutes),
    placedAt: (order.placedAt * MINUTE) as Seconds,
    readyAt: (order.readyAt * MINUTE) as Seconds,
    promisedAt: ((order.placedAt + parameters.targetClickToDoor) * MINUTE) as Seconds,
    latestDropoffAt: null,
    size: 1,
    requiredSkills: [],
    timesDeferred: 0,
    known: { ready: true, pickupWait: true, handover: true },
    features: noOrderFeatures,
  };
}

function stop(place: { id: string; x: number; y: number }, serviceMinutes: number): Stop {
  const half = ((serviceMinutes / 2) * MINUTE) as Seconds;
  const point = { x: place.x, y: place.y };
  return { placeId: place.id as PlaceId, point, preServiceSeconds: half, postServiceSeconds: half };
}

/** Nothing is uncertain: ready times and services are as stated, travel follows the round's own rule. */
function knownTruth(speed: number): Truth {
  return {
    readyAt: (order) => order.readyAt,
    pickupPostSeconds: (order) => order.pickup.postServiceSeconds,
    dropoffPostSeconds: (order) => order.dropoff.postServiceSeconds,
    travelSeconds: (_vehicle, from, to) =>
      travelSeconds(distanceMetres(from.x - to.x, from.y - to.y), speed, MINUTE, 1000) as Seconds,
  };
}
