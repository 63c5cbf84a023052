import type { OrderId, Seconds } from '#schemas/brands';
import type { Order, OrderFeatures, Space } from '#schemas/domain';
import type { Fields } from './fields';
import { MAX_DEFERRALS, MAX_RELATIVE_TIME, MAX_SKILLS, MAX_TIME, MAX_UNITS, SECONDS_END } from './limits';
import { readStop } from './read-stop';

/** What the readers of couriers and orders need to know of their round. */
export interface RoundFrame {
  readonly asOf: number;
  /** False where asOf itself has a fault: times are then not compared with it. */
  readonly anchored: boolean;
  readonly space: Space;
  readonly byMatrix: boolean;
}

/** An order is promised this long after it is ready, unless it says otherwise. */
const DEFAULT_PROMISE_SECONDS = 2_400;

const featureRange = { min: -1e6, max: 1e6 };

export function readTime(
  fields: Fields,
  name: string,
  { asOf, anchored }: RoundFrame,
  fallback?: number,
): Seconds {
  const near = { min: asOf - MAX_RELATIVE_TIME, max: asOf + MAX_RELATIVE_TIME };
  const range = anchored ? near : { min: -MAX_TIME, max: SECONDS_END - 1 };
  return fields.integer(name, { ...range, unit: 'seconds' }, fallback) as Seconds;
}

function readFeatures(fields: Fields): OrderFeatures {
  return fields.object('features', (features) => ({
    merchantMeanPrepMinutes: features.number('merchantMeanPrepMinutes', featureRange, 0),
    merchantStdPrepMinutes: features.number('merchantStdPrepMinutes', featureRange, 0),
    merchantOpenOrders: features.number('merchantOpenOrders', featureRange, 0),
    itemCount: features.number('itemCount', featureRange, 0),
    pickupWaitMeanMinutes: features.number('pickupWaitMeanMinutes', featureRange, 0),
    handoverMeanMinutes: features.number('handoverMeanMinutes', featureRange, 0),
    dropoffFloor: features.number('dropoffFloor', featureRange, 0),
  }));
}

function readTimes(fields: Fields, frame: RoundFrame) {
  const { asOf, anchored } = frame;
  const readyAt = readTime(fields, 'readyAt', frame, asOf);
  const placedAt = readTime(fields, 'placedAt', frame, Math.min(asOf, readyAt));
  const promisedAt = readTime(fields, 'promisedAt', frame, readyAt + DEFAULT_PROMISE_SECONDS);
  const latestDropoffAt = fields.has('latestDropoffAt')
    ? readTime(fields, 'latestDropoffAt', frame, Infinity)
    : ((fields.raw('latestDropoffAt') ?? null) as null);
  if (anchored && placedAt > asOf) fields.fault('placedAt', placedAt, `not after asOf (${asOf})`);
  if (readyAt < placedAt) fields.fault('readyAt', readyAt, `not before placedAt (${placedAt})`);
  if (promisedAt < placedAt) fields.fault('promisedAt', promisedAt, `not before placedAt (${placedAt})`);
  if (latestDropoffAt !== null && latestDropoffAt < readyAt) {
    fields.fault('latestDropoffAt', latestDropoffAt, `not before readyAt (${readyAt})`);
  }
  return { placedAt, readyAt, promisedAt, latestDropoffAt };
}

/** Times are taken as known unless the order brings features to predict them from. */
function readKnown(fields: Fields, byDefault: boolean): Order['known'] {
  return fields.object('known', (known) => ({
    ready: known.boolean('ready', byDefault),
    pickupWait: known.boolean('pickupWait', byDefault),
    handover: known.boolean('handover', byDefault),
  }));
}

export function readOrder(fields: Fields, frame: RoundFrame): Order {
  const orderId = fields.id('orderId') as OrderId;
  const pickup = readStop(fields, 'pickup', frame.space, frame.byMatrix, orderId);
  const dropoff = readStop(fields, 'dropoff', frame.space, frame.byMatrix, orderId);
  const { placedAt, readyAt, promisedAt, latestDropoffAt } = readTimes(fields, frame);
  return {
    orderId,
    pickup,
    dropoff,
    placedAt,
    readyAt,
    promisedAt,
    latestDropoffAt,
    size: fields.integer('size', { min: 0, max: MAX_UNITS }, 1),
    requiredSkills: fields.ids('requiredSkills', MAX_SKILLS),
    timesDeferred: fields.integer('timesDeferred', { min: 0, max: MAX_DEFERRALS }, 0),
    known: readKnown(fields, !fields.has('features')),
    features: readFeatures(fields),
  };
}
