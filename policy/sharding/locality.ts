import {
  COURIER_COLUMNS,
  HELD_COLUMNS,
  ORDER_COLUMNS,
  ORDER_FEATURE_COLUMNS,
  PLACE_COLUMNS,
} from '#schemas/tensors';
import type { PlanningView } from '../candidates/index';
import type { WeighedRow } from './shard-rows';

/** Bytes that an order, a courier and a held order add to a shard in which they stand (4 bytes a value). */
const ORDER_BYTES = 4 * (ORDER_COLUMNS + ORDER_FEATURE_COLUMNS + 2 * PLACE_COLUMNS);
const COURIER_BYTES = 4 * (COURIER_COLUMNS + PLACE_COLUMNS);
const HELD_BYTES = 4 * HELD_COLUMNS + ORDER_BYTES;

/** Spreads the low 16 bits of a value to the even bits. */
function evenBits(value: number): number {
  let bits = value & 0xffff;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
}

/** Rank of every place along a Z-order curve over the round's extent: near in rank is near in space. */
function curveOf({ geometry }: PlanningView): number[] {
  const bound = (values: Int32Array, pick: (a: number, b: number) => number) =>
    values.reduce((a, b) => pick(a, b), values[0] ?? 0);
  const west = bound(geometry.x, Math.min);
  const south = bound(geometry.y, Math.min);
  const extent = Math.max(bound(geometry.x, Math.max) - west, bound(geometry.y, Math.max) - south, 1);
  const cell = (offset: number) => Math.floor((offset / extent) * 0xffff);
  return Array.from(
    geometry.x,
    (x, i) => (evenBits(cell(x - west)) | (evenBits(cell(geometry.y[i]! - south)) << 1)) >>> 0,
  );
}

/** Are the couriers with what they hold, repeated in shards, dearer than the orders offered? */
function couriersWeighMore({ round }: PlanningView, rows: readonly WeighedRow[]): boolean {
  const couriers = new Set(rows.map(({ courier }) => courier));
  const orders = new Set(rows.flatMap(({ bundle }) => bundle));
  let courierBytes = 0;
  for (const courier of couriers) {
    courierBytes += COURIER_BYTES + HELD_BYTES * round.couriers[courier]!.held.length;
  }
  return courierBytes > ORDER_BYTES * orders.size;
}

/**
 * Rows in an order that keeps the tables of a run of them small: along a curve over the city by whatever
 * weighs more in the tables, couriers or orders, with rows of one courier or one bundle side by side.
 */
export function byLocality(view: PlanningView, rows: readonly WeighedRow[]): WeighedRow[] {
  const curve = curveOf(view);
  const { courierPlace, pickupPlace } = view.geometry;
  const courierRank = ({ courier }: WeighedRow) => curve[courierPlace[courier]!]!;
  const orderRank = ({ bundle, courier }: WeighedRow) =>
    curve[bundle.length > 0 ? pickupPlace[bundle[0]!]! : courierPlace[courier]!]!;
  const byCourier = couriersWeighMore(view, rows);
  const keyed = rows.map((row, index) => ({
    row,
    index,
    major: byCourier ? courierRank(row) : orderRank(row),
    minor: byCourier ? row.courier : (row.bundle[0] ?? -1),
  }));
  keyed.sort((a, b) => a.major - b.major || a.minor - b.minor || a.index - b.index);
  return keyed.map(({ row }) => row);
}
