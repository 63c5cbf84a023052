import { join } from 'node:path';
import type { ImportFaults } from './import-faults';
import { csvRecords } from './csv';
import { RowReader } from './row-reader';

/** File names of the Meituan INFORMS TSL Research Challenge 2024, as they are published. */
export const meituanFiles = {
  waybills: 'all_waybill_info_meituan_0322.csv',
  waves: 'courier_wave_info_meituan.csv',
  riders: 'dispatch_rider_meituan.csv',
  orders: 'dispatch_waybill_meituan.csv',
} as const;
export type MeituanTable = keyof typeof meituanFiles;

const time = { min: 0, max: 2 ** 40 };
const date = { min: 20_000_101, max: 99_991_231 };
/** Degrees in millionths. */
const longitude = { min: -180e6, max: 180e6 };
const latitude = { min: -85e6, max: 85e6 };

export interface MeituanPoint {
  readonly x: number;
  readonly y: number;
}

/** Zeros stand for what did not happen, or isn't known. */
export interface Waybill {
  readonly dt: number;
  readonly orderId: string;
  readonly waybillId: string;
  readonly courierId: string;
  readonly areaId: string;
  readonly isGrabbed: boolean;
  readonly placeId: string;
  readonly pickup: MeituanPoint;
  readonly dropoff: MeituanPoint;
  readonly grabbedAtPoint: MeituanPoint;
  readonly orderedAt: number;
  readonly pushedAt: number;
  readonly readyAt: number;
  readonly promisedAt: number;
  readonly grabbedAt: number;
  readonly fetchedAt: number;
  readonly arrivedAt: number;
}

function pointOf(row: RowReader, name: string): MeituanPoint {
  const x = row.integer(`${name}_lng`, longitude) / 1e6;
  return { x, y: row.integer(`${name}_lat`, latitude) / 1e6 };
}

function readWaybill(row: RowReader): Waybill {
  return {
    dt: row.integer('dt', date),
    orderId: row.id('order_id'),
    waybillId: row.id('waybill_id'),
    courierId: row.id('courier_id'),
    areaId: row.id('da_id'),
    isGrabbed: row.integer('is_courier_grabbed', { min: 0, max: 1 }) === 1,
    placeId: row.id('poi_id'),
    pickup: pointOf(row, 'sender'),
    dropoff: pointOf(row, 'recipient'),
    grabbedAtPoint: pointOf(row, 'grab'),
    orderedAt: row.integer('platform_order_time', time),
    pushedAt: row.integer('order_push_time', time),
    readyAt: row.integer('estimate_meal_prepare_time', time),
    promisedAt: row.integer('estimate_arrived_time', time),
    grabbedAt: row.integer('grab_time', time),
    fetchedAt: row.integer('fetch_time', time),
    arrivedAt: row.integer('arrive_time', time),
  };
}

export interface Rider {
  readonly dt: number;
  readonly at: number;
  readonly courierId: string;
  readonly position: MeituanPoint;
  /** Of orders or of waybills: both occur. */
  readonly carried: readonly string[];
  readonly place: string;
}

/** `[1, 2]`, `['1', '2']`, `1,2` or nothing. */
function idsIn(row: RowReader, name: string): string[] {
  const text = row.has(name) ? row.text(name) : '';
  const parts = text
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((part) => part.trim().replace(/^['"]|['"]$/g, ''))
    .filter((part) => part !== '');
  if (parts.every((part) => /^[\w-]{1,64}$/.test(part))) return parts;
  row.fault(name, 'a list of ids');
  return [];
}

function readRider(row: RowReader): Rider {
  return {
    dt: row.integer('dt', date),
    at: row.integer('dispatch_time', time),
    courierId: row.id('courier_id'),
    position: pointOf(row, 'rider'),
    carried: idsIn(row, 'courier_waybills'),
    place: row.place,
  };
}

export interface OpenOrder {
  readonly dt: number;
  readonly at: number;
  readonly orderId: string;
}

export interface Wave {
  readonly dt: number;
  readonly courierId: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

const columns = {
  waybills: [
    ...['dt', 'order_id', 'waybill_id', 'courier_id', 'da_id', 'is_courier_grabbed', 'poi_id'],
    ...['sender_lng', 'sender_lat', 'recipient_lng', 'recipient_lat', 'grab_lng', 'grab_lat'],
    ...['platform_order_time', 'order_push_time', 'estimate_meal_prepare_time', 'estimate_arrived_time'],
    ...['grab_time', 'fetch_time', 'arrive_time'],
  ],
  waves: ['dt', 'courier_id', 'wave_start_time', 'wave_end_time'],
  riders: ['dt', 'dispatch_time', 'courier_id', 'rider_lat', 'rider_lng', 'courier_waybills'],
  orders: ['dt', 'dispatch_time', 'order_id'],
} as const satisfies Record<MeituanTable, readonly string[]>;

/** Rows of a table; columns that we don't need may be there, too. */
function* rows(folder: string, table: MeituanTable, faults: ImportFaults): Generator<RowReader> {
  const file = meituanFiles[table];
  let isChecked = false;
  for (const { line, fields } of csvRecords(join(folder, file), file, faults)) {
    if (!isChecked) {
      const lacking = columns[table].filter((name) => !fields.has(name));
      for (const name of lacking) faults.add(`${file}:1`, `no column ${name}`, 'the columns as published');
      if (lacking.length > 0) return;
      isChecked = true;
    }
    yield new RowReader(fields, `${file}:${line}`, faults);
  }
}

/** Those that are wanted; 654,000 are in the published file, and a piece of it in memory. */
export function* waybills(folder: string, faults: ImportFaults): Generator<Waybill> {
  for (const row of rows(folder, 'waybills', faults)) yield readWaybill(row);
}

export function* riders(folder: string, faults: ImportFaults): Generator<Rider> {
  for (const row of rows(folder, 'riders', faults)) yield readRider(row);
}

export function* openOrders(folder: string, faults: ImportFaults): Generator<OpenOrder> {
  for (const row of rows(folder, 'orders', faults)) {
    yield {
      dt: row.integer('dt', date),
      at: row.integer('dispatch_time', time),
      orderId: row.id('order_id'),
    };
  }
}

export function* waves(folder: string, faults: ImportFaults): Generator<Wave> {
  for (const row of rows(folder, 'waves', faults)) {
    const startsAt = row.integer('wave_start_time', time);
    yield {
      dt: row.integer('dt', date),
      courierId: row.id('courier_id'),
      startsAt,
      endsAt: row.integer('wave_end_time', { min: startsAt, max: time.max }),
    };
  }
}
