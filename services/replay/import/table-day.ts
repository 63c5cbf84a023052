import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readRegularFile } from '#lib/regular-file';
import { distanceMetres, projectPoints, travelSeconds } from '#policy/routing/index';
import type { Day, DayCourier, Truth } from '#policy/simulation/day';
import { policyOf } from '#policy/validation/index';
import type { CourierId, OrderId, PlaceId, Seconds, TenantId, ZoneId } from '#schemas/brands';
import { vehicles, type Order, type Point, type RoundPolicy, type Space } from '#schemas/domain';
import { noOrderFeatures } from '#schemas/no-order-features';
import { ImportFaults } from './import-faults';
import type { RowOf } from './imported-rounds';
import { checkColumns, RowReader } from './row-reader';
import { TablePlaces } from './table-places';
import { tableFile, tableRows } from './table-rows';

const orderColumns = [
  ...['orderId', 'placedAt', 'readyAt', 'promisedAt', 'latestDropoffAt', 'actualReadyAt'],
  ...['pickupPlaceId', 'pickupX', 'pickupY', 'dropoffPlaceId', 'dropoffX', 'dropoffY'],
  ...['pickupServiceSeconds', 'dropoffServiceSeconds', 'size', 'requiredSkills'],
] as const;
const courierColumns = ['courierId', 'x', 'y', 'onAt', 'offAt', 'vehicle', 'capacity', 'skills'] as const;
const settingColumns = [
  ...['space', 'roundSeconds', 'tenantId', 'zoneId', 'offerHorizonSeconds', 'shiftLookaheadSeconds'],
  ...['couriersAre', 'roundsAfterLastOrder', 'policy'],
] as const;

const service = { min: 0, max: 86_400 };
/** A week of a round a second is 604,800. */
const maxRounds = 1_000_000;

interface DaySettings {
  readonly row: RowReader;
  readonly space: Space;
  readonly policy: RoundPolicy;
}

export interface TableOrder {
  readonly order: Order;
  readonly actualReadyAt: Seconds;
}

function bounds(space: Space) {
  const metres = { min: -20_000_000, max: 20_000_000 };
  return space === 'planar'
    ? { x: metres, y: metres }
    : { x: { min: -180, max: 180 }, y: { min: -85, max: 85 } };
}

function readSettings(folder: string, faults: ImportFaults): DaySettings {
  const file = 'settings.json';
  let json: unknown = {};
  if (existsSync(join(folder, file))) {
    try {
      json = JSON.parse(readRegularFile(join(folder, file)).toString());
    } catch (error) {
      faults.add(file, (error as Error).message, 'JSON');
    }
  }
  const fields = new Map(Object.entries((json ?? {}) as object));
  checkColumns(fields.keys(), settingColumns, file, faults);
  const row = new RowReader(fields, file, faults);
  const found = policyOf(fields.get('policy') ?? {}, 0);
  for (const { path, value, limit } of found.faults) faults.add(`${file} ${path}`, value, limit);
  if (found.policy.travel.kind === 'matrix')
    faults.add(`${file} policy.travel.kind`, 'matrix', 'speed: tables have no travel zones');
  const travel = { ...found.policy.travel, known: true };
  return {
    row,
    space: row.oneOf('space', ['wgs84', 'planar'], 'wgs84'),
    policy: { ...found.policy, travel },
  };
}

function readOrder(row: RowReader, space: Space, places: TablePlaces): TableOrder {
  const { x, y } = bounds(space);
  const orderId = row.id('orderId') as OrderId;
  const placedAt = row.time('placedAt') as Seconds;
  const readyAt = row.time('readyAt', placedAt, placedAt) as Seconds;
  const point = (name: string): Point => ({ x: row.number(`${name}X`, x), y: row.number(`${name}Y`, y) });
  const stop = (name: 'pickup' | 'dropoff') => ({
    placeId: row.id(`${name}PlaceId`, orderId) as PlaceId,
    point: point(name),
    preServiceSeconds: 0 as Seconds,
    postServiceSeconds: row.integer(`${name}ServiceSeconds`, service, 0) as Seconds,
  });
  const latest = row.has('latestDropoffAt') ? (row.time('latestDropoffAt', readyAt) as Seconds) : null;
  const order: Order = {
    orderId,
    pickup: stop('pickup'),
    dropoff: stop('dropoff'),
    placedAt,
    readyAt,
    promisedAt: row.time('promisedAt', placedAt, readyAt + 2_400) as Seconds,
    latestDropoffAt: latest,
    size: row.integer('size', { min: 0, max: 1_000 }, 1),
    requiredSkills: row.list('requiredSkills'),
    timesDeferred: 0,
    known: { ready: true, pickupWait: true, handover: true },
    features: noOrderFeatures,
  };
  places.add('orders', orderId, row.place, {
    'pickupX, pickupY': order.pickup.point,
    'dropoffX, dropoffY': order.dropoff.point,
  });
  return { order, actualReadyAt: row.time('actualReadyAt', undefined, readyAt) as Seconds };
}

function readCourier(row: RowReader, space: Space, places: TablePlaces): DayCourier {
  const { x, y } = bounds(space);
  const courierId = row.id('courierId') as CourierId;
  const onAt = row.time('onAt') as Seconds;
  const point = { x: row.number('x', x), y: row.number('y', y) };
  places.add('couriers', courierId, row.place, { 'x, y': point });
  return {
    courierId,
    start: { placeId: courierId as string as PlaceId, point },
    onAt,
    offAt: row.time('offAt', onAt) as Seconds,
    vehicle: row.oneOf('vehicle', vehicles, 'bike'),
    capacity: row.integer('capacity', { min: 0, max: 1_000 }, 10),
    skills: row.list('skills'),
  };
}

function checkTwice(ids: readonly string[], file: string, faults: ImportFaults): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) faults.add(file, `${id} twice`, 'each id once');
    seen.add(id);
  }
}

/** Meals are ready when they are; travel and services follow the round's own rule. */
export function tableTruth(orders: readonly TableOrder[], policy: RoundPolicy, space: Space): Truth {
  const ready = new Map(orders.map(({ order, actualReadyAt }) => [order.orderId, actualReadyAt]));
  const { travel } = policy;
  if (travel.kind !== 'speed') throw new Error('tables have no travel zones');
  return {
    readyAt: ({ orderId, readyAt }) => ready.get(orderId) ?? readyAt,
    pickupPostSeconds: ({ pickup }) => pickup.postServiceSeconds,
    dropoffPostSeconds: ({ dropoff }) => dropoff.postServiceSeconds,
    travelSeconds: (vehicle, from, to) => {
      const [a, b] = projectPoints(space, [from, to]) as [Point, Point];
      const metres = distanceMetres(a.x - b.x, a.y - b.y);
      return travelSeconds(metres, travel.metresPerHour[vehicle], travel.quantumSeconds, 1_000) as Seconds;
    },
  };
}

/** A mistyped time makes a day of aeons, whose rounds nobody would see the end of. */
function checkLength({ orders, startsAt, roundSeconds }: Day, file: string, faults: ImportFaults): void {
  const last = orders.reduce((latest, { placedAt }) => Math.max(latest, placedAt), -Infinity);
  const rounds = Math.ceil((last - startsAt) / roundSeconds);
  if (rounds <= maxRounds) return;
  const found = `${startsAt} to ${last}, ${rounds} rounds of ${roundSeconds} s`;
  faults.add(`${file} placedAt`, found, `at most ${maxRounds} rounds`);
}

/** What is set for a day of tables, besides its orders and couriers. */
export interface DayFrame {
  readonly name: string;
  readonly space: Space;
  readonly policy: RoundPolicy;
  readonly row: RowReader;
}

export function dayOf(orders: readonly TableOrder[], couriers: readonly DayCourier[], frame: DayFrame): Day {
  const { name, row, space, policy } = frame;
  const roundSeconds = row.integer('roundSeconds', { min: 1, max: 86_400 }, 300) as Seconds;
  const first = orders.reduce((least, { order }) => Math.min(least, order.placedAt), Infinity);
  const horizon = row.has('offerHorizonSeconds') ? row.integer('offerHorizonSeconds', service) : null;
  return {
    name,
    tenantId: row.id('tenantId', 'imported') as TenantId,
    zoneId: row.id('zoneId', name) as ZoneId,
    space,
    startsAt: (Math.floor(first / roundSeconds) * roundSeconds) as Seconds,
    roundSeconds,
    couriers,
    orders: orders.map(({ order }) => order),
    truth: tableTruth(orders, policy, space),
    couriersAre: row.oneOf('couriersAre', ['held', 'committed'], 'held'),
    shiftLookaheadSeconds: row.integer('shiftLookaheadSeconds', service, 1_200) as Seconds,
    offerHorizonSeconds: horizon as Seconds | null,
    maxRoundsAfterLastOrder: row.integer('roundsAfterLastOrder', { min: 0, max: 10_000 }, 24),
    policyAt: ({ asOf }) => ({ ...policy, context: policyOf({}, asOf).policy.context }),
  };
}

export interface TableDay {
  readonly day: Day;
  readonly files: readonly string[];
  readonly rowOf: RowOf;
}

/** A day of our own format: `orders` and `couriers` as CSV or JSON lines, `settings.json` where wanted. */
export function readTableDay(folder: string): TableDay {
  const faults = new ImportFaults();
  const [orderFile, courierFile] = [tableFile(folder, 'orders'), tableFile(folder, 'couriers')];
  const settings = readSettings(folder, faults);
  const { space, policy, row } = settings;
  const places = new TablePlaces();
  const before = faults.count;
  const orders = [...tableRows(folder, orderFile, orderColumns, faults)].map((one) =>
    readOrder(one, space, places),
  );
  const areOrdersRead = faults.count === before;
  if (orders.length === 0 && areOrdersRead) faults.add(orderFile, 'no orders', 'at least one');
  const couriers = [...tableRows(folder, courierFile, courierColumns, faults)].map((one) =>
    readCourier(one, space, places),
  );
  places.checkSwapped(space, faults);
  checkTwice(
    orders.map(({ order }) => order.orderId),
    orderFile,
    faults,
  );
  checkTwice(
    couriers.map(({ courierId }) => courierId),
    courierFile,
    faults,
  );
  const name = basename(resolve(folder));
  const day = dayOf(orders, couriers, { name, space, policy, row });
  if (areOrdersRead) checkLength(day, orderFile, faults);
  faults.throwIfAny();
  const settingsFile = existsSync(join(folder, 'settings.json')) ? ['settings.json'] : [];
  return { day, files: [orderFile, courierFile, ...settingsFile], rowOf: places.rowOf };
}
