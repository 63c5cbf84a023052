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
 * Keys along a curve over the city: of the rows whose bundle begins with an order, by order, then of the rows of a courier,
 * by courier.
 */
function groupKeys(view: PlanningView, byCourier: boolean): Float64Array {
  const curve = curveOf(view);
  const { courierPlace, pickupPlace } = view.geometry;
  const orders = view.round.orders.length;
  const keys = new Float64Array(orders + view.round.couriers.length);
  for (let order = 0; order < orders; order += 1) {
    keys[order] = curve[pickupPlace[order]!]! * MINOR_ROOM + order + 1;
  }
  for (let courier = 0; orders + courier < keys.length; courier += 1) {
    const minor = byCourier ? courier + 1 : 0;
    keys[orders + courier] = curve[courierPlace[courier]!]! * MINOR_ROOM + minor;
  }
  return keys;
}

/** How many smaller keys there are of other values: equal ones have equal ranks. */
function ranksOf(keys: Float64Array): { readonly rank: Int32Array; readonly count: number } {
  const order = stableOrder(keys);
  const rank = new Int32Array(keys.length);
  let count = 0;
  for (let at = 0; at < order.length; at += 1) {
    if (at > 0 && keys[order[at]!] !== keys[order[at - 1]!]) count += 1;
    rank[order[at]!] = count;
  }
  return { rank, count: count + 1 };
}

/**
 * Rows in an order that keeps the tables of a run of them small: along a curve over the city by whatever
 * weighs more in the tables, couriers or orders, with rows of one courier or one bundle side by side.
 */
export function byLocality(view: PlanningView, rows: WeighedRows): WeighedRows {
  const byCourier = couriersWeighMore(view, rows);
  const { rank, count } = ranksOf(groupKeys(view, byCourier));
  const orders = view.round.orders.length;
  const rankOf = new Int32Array(rows.count);
  for (let row = 0; row < rows.count; row += 1) {
    const bundle = rows.bundle[row]!;
    const isOfCourier = byCourier || bundle === NO_BUNDLE;
    rankOf[row] = rank[isOfCourier ? orders + rows.courier[row]! : rows.bundles[bundle]![0]!]!;
  }
  return reordered(rows, placesByRank(rankOf, count));
}

/** Where each row goes: those of smaller ranks first, those of one rank in their order. */
function placesByRank(rankOf: Int32Array, ranks: number): Int32Array {
  const next = new Int32Array(ranks + 1);
  for (let row = 0; row < rankOf.length; row += 1) next[rankOf[row]! + 1]! += 1;
  for (let rank = 0; rank < ranks; rank += 1) next[rank + 1]! += next[rank]!;
  const places = new Int32Array(rankOf.length);
  for (let row = 0; row < rankOf.length; row += 1) {
    const rank = rankOf[row]!;
    places[row] = next[rank]!;
    next[rank] = next[rank]! + 1;
  }
  return places;
}
