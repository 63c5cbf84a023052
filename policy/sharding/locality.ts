import {
  COURIER_COLUMNS,
  HELD_COLUMNS,
  ORDER_COLUMNS,
  ORDER_FEATURE_COLUMNS,
  PLACE_COLUMNS,
} from '#schemas/tensors';
import type { PlanningView } from '../candidates/index';
import { stableOrder } from './stable-order';
import { NO_BUNDLE, reordered, type WeighedRows } from './weighed-rows';

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
function couriersWeighMore({ round }: PlanningView, rows: WeighedRows): boolean {
  const seenCouriers = new Uint8Array(round.couriers.length);
  const seenBundles = new Uint8Array(rows.bundles.length);
  const seenOrders = new Uint8Array(round.orders.length);
  let bytes = 0;
  for (let row = 0; row < rows.count; row += 1) {
    const courier = rows.courier[row]!;
    const bundle = rows.bundle[row]!;
    if (seenCouriers[courier] === 0)
      bytes += COURIER_BYTES + HELD_BYTES * round.couriers[courier]!.held.length;
    seenCouriers[courier] = 1;
    if (bundle === NO_BUNDLE || seenBundles[bundle] === 1) continue;
    seenBundles[bundle] = 1;
    for (const order of rows.bundles[bundle]!) {
      if (seenOrders[order] === 0) bytes -= ORDER_BYTES;
      seenOrders[order] = 1;
    }
  }
  return bytes > 0;
}

/** Above every courier and order index; minor keys are these plus 1, so that none is 0. */
const MINOR_ROOM = 2 ** 17;

/**
 * Rows in an order that keeps the tables of a run of them small: along a curve over the city by whatever
 * weighs more in the tables, couriers or orders, with rows of one courier or one bundle side by side.
 */
export function byLocality(view: PlanningView, rows: WeighedRows): WeighedRows {
  const curve = curveOf(view);
  const { courierPlace, pickupPlace } = view.geometry;
  const byCourier = couriersWeighMore(view, rows);
  const keys = new Float64Array(rows.count);
  for (let row = 0; row < rows.count; row += 1) {
    const courier = rows.courier[row]!;
    const bundle = rows.bundle[row]!;
    const first = bundle === NO_BUNDLE ? -1 : rows.bundles[bundle]![0]!;
    const isAtCourier = byCourier || first < 0;
    const major = curve[isAtCourier ? courierPlace[courier]! : pickupPlace[first]!]!;
    keys[row] = major * MINOR_ROOM + (byCourier ? courier : first) + 1;
  }
  return reordered(rows, stableOrder(keys));
}
