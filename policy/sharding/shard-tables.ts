import type { NamedTensor } from '#schemas/domain';
import {
  COURIER_COLUMNS,
  CourierColumn,
  HELD_COLUMNS,
  NO_ROW,
  ORDER_COLUMNS,
  ORDER_FEATURE_COLUMNS,
  OrderColumn,
  shardInputs,
} from '#schemas/tensors';
import type { PlanningView } from '../candidates/index';
import { growingFloat32, growingInt32, RowNumbers } from './growing';
import { roundColumns, type RoundColumns } from './round-columns';
import type { ShardRows } from './shard-rows';
import { NO_BUNDLE } from './weighed-rows';

/** The tables of a shard and its candidate rows, as tensors.ts lays them out; one shard of a round after the other. */
export class ShardTables {
  private readonly columns: RoundColumns;
  private readonly courierRows: RowNumbers;
  private readonly orderRows: RowNumbers;
  private readonly placeRows: RowNumbers;
  private readonly couriers = growingInt32();
  private readonly held = growingInt32();
  private readonly orders = growingInt32();
  private readonly features = growingFloat32();
  private readonly places = growingInt32();
  private candidates = new Uint16Array(0);
  /** A bit for each of the round's orders that stands in the shard, held ones included. */
  private bitmap = new Uint8Array(0);
  private readonly courierRow = new Int32Array(COURIER_COLUMNS);
  private readonly orderRow = new Int32Array(ORDER_COLUMNS);

  constructor(
    private readonly view: PlanningView,
    private readonly width: number,
  ) {
    this.columns = roundColumns(view);
    this.courierRows = new RowNumbers(view.round.couriers.length);
    this.orderRows = new RowNumbers(view.round.orders.length);
    this.placeRows = new RowNumbers(view.geometry.x.length);
  }

  /** A new shard with these rows. */
  fill({ count, courier, bundle, bundles }: ShardRows): void {
    for (const table of [this.couriers, this.held, this.orders, this.features, this.places]) table.clear();
    for (const numbers of [this.courierRows, this.orderRows, this.placeRows]) numbers.clear();
    this.bitmap = new Uint8Array(Math.ceil(this.view.round.orders.length / 8));
    // Row 0 is padding.
    for (let i = 0; i < HELD_COLUMNS; i += 1) this.held.push(0);
    this.candidates = new Uint16Array(count * this.width).fill(NO_ROW);
    for (let row = 0; row < count; row += 1) {
      const at = row * this.width;
      this.candidates[at] = this.courier(courier[row]!);
      if (bundle[row] === NO_BUNDLE) continue;
      const orders = bundles[bundle[row]!]!;
      for (let i = 0; i < orders.length; i += 1) this.candidates[at + 1 + i] = this.order(orders[i]!);
    }
  }

  /** Those of the last `fill`. */
  orderBitmap(): Uint8Array {
    return this.bitmap;
  }

  /** Orders of the round that stand in the shard. */
  get orderCount(): number {
    return this.orderRows.count;
  }

  tensors(params: BigInt64Array): NamedTensor[] {
    return [
      tensor('params', params),
      tensor('couriers', this.couriers.values()),
      tensor('held', this.held.values()),
      tensor('orders', this.orders.values()),
      tensor('places', this.places.values()),
      tensor('order_features', this.features.values()),
      tensor('candidates', this.candidates),
    ];
  }

  private courier(index: number): number {
    const known = this.courierRows.rowOf(index);
    if (known >= 0) return known;
    const added = this.courierRows.add(index);
    const { heldStart, held, onBoard, couriers } = this.columns;
    const heldOffset = this.held.length / HELD_COLUMNS;
    for (let at = heldStart[index]!; at < heldStart[index + 1]!; at += 1) {
      const row = this.order(held[at]!);
      this.held.push(row);
      this.held.push(onBoard[at]!);
    }
    const row = this.courierRow;
    copyRow(couriers, index, row);
    row[CourierColumn.place] = this.place(this.view.geometry.courierPlace[index]!);
    row[CourierColumn.heldOffset] = heldOffset;
    this.couriers.pushAll(row, 0, COURIER_COLUMNS);
    return added;
  }

  private order(index: number): number {
    const known = this.orderRows.rowOf(index);
    if (known >= 0) return known;
    const added = this.orderRows.add(index);
    this.bitmap[index >> 3]! |= 1 << (index & 7);
    const { geometry } = this.view;
    this.features.pushAll(this.columns.features, index * ORDER_FEATURE_COLUMNS, ORDER_FEATURE_COLUMNS);
    const row = this.orderRow;
    copyRow(this.columns.orders, index, row);
    row[OrderColumn.pickupPlace] = this.place(geometry.pickupPlace[index]!);
    row[OrderColumn.dropoffPlace] = this.place(geometry.dropoffPlace[index]!);
    this.orders.pushAll(row, 0, ORDER_COLUMNS);
    return added;
  }

  private place(index: number): number {
    const known = this.placeRows.rowOf(index);
    if (known >= 0) return known;
    const { x, y, zone } = this.view.geometry;
    this.places.push(x[index]!);
    this.places.push(y[index]!);
    this.places.push(zone[index]!);
    return this.placeRows.add(index);
  }
}

function copyRow(table: Int32Array, index: number, row: Int32Array): void {
  for (let i = 0; i < row.length; i += 1) row[i] = table[index * row.length + i]!;
}

function tensor(
  name: keyof typeof shardInputs,
  values: BigInt64Array | Int32Array | Float32Array | Uint16Array,
): NamedTensor {
  const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, datatype: shardInputs[name], shape: [1, values.length], data };
}
