import type { NamedTensor } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import {
  COURIER_COLUMNS,
  HELD_COLUMNS,
  KnownFlag,
  NO_LIMIT,
  NO_ROW,
  ORDER_COLUMNS,
  ORDER_FEATURE_COLUMNS,
  PLACE_COLUMNS,
  shardInputs,
} from '#schemas/tensors';
import type { PlanningView } from '../candidates/index';
import { startOfCourier } from '../routing/index';
import type { ShardRow } from './shard-rows';

/** Rows of a table in order of first use, found by the round-wide index that they stand for. */
class Table {
  private readonly rowOf = new Map<number, number>();
  readonly values: number[] = [];

  constructor(private readonly columns: (index: number) => readonly number[]) {}

  row(index: number): number {
    const known = this.rowOf.get(index);
    if (known !== undefined) return known;
    const row = this.rowOf.size;
    this.rowOf.set(index, row);
    for (const value of this.columns(index)) this.values.push(value);
    return row;
  }

  indices(): number[] {
    return [...this.rowOf.keys()];
  }
}

/** The tables of one shard and its candidate rows, as tensors.ts lays them out. */
export class ShardTables {
  /** Row 0 is padding. */
  private readonly held: number[] = new Array<number>(HELD_COLUMNS).fill(0);
  private readonly features: number[] = [];
  private readonly places = new Table((place) => this.placeColumns(place));
  private readonly orders = new Table((order) => this.orderColumns(order));
  private readonly couriers = new Table((courier) => this.courierColumns(courier));
  private readonly candidates: number[] = [];

  constructor(
    private readonly view: PlanningView,
    private readonly columns: number,
  ) {}

  add({ courier, bundle }: ShardRow): void {
    this.candidates.push(this.couriers.row(courier), ...bundle.map((order) => this.orders.row(order)));
    for (let i = 1 + bundle.length; i < this.columns; i += 1) this.candidates.push(NO_ROW);
  }

  /** Indices into `round.orders` of the orders that stand in the shard, held ones included. */
  orderIndices(): number[] {
    return this.orders.indices();
  }

  tensors(params: BigInt64Array): NamedTensor[] {
    return [
      tensor('params', params),
      tensor('couriers', Int32Array.from(this.couriers.values)),
      tensor('held', Int32Array.from(this.held)),
      tensor('orders', Int32Array.from(this.orders.values)),
      tensor('places', Int32Array.from(this.places.values)),
      tensor('order_features', Float32Array.from(this.features)),
      tensor('candidates', Uint16Array.from(this.candidates)),
    ];
  }

  private placeColumns(place: number): number[] {
    const { x, y, zone } = this.view.geometry;
    return sized(PLACE_COLUMNS, [x[place]!, y[place]!, zone[place]!]);
  }

  private courierColumns(index: number): number[] {
    const { round, geometry, indexOf } = this.view;
    const courier = round.couriers[index]!;
    const heldOffset = this.held.length / HELD_COLUMNS;
    for (const { orderId, onBoard } of courier.held) {
      this.held.push(this.orders.row(indexOf.get(orderId)!), onBoard ? 1 : 0);
    }
    return sized(COURIER_COLUMNS, [
      index,
      this.places.row(geometry.courierPlace[index]!),
      startOfCourier(round, index),
      courier.shiftEndsAt - round.asOf,
      vehicles.indexOf(courier.vehicle),
      courier.capacity,
      heldOffset,
      courier.held.length,
    ]);
  }

  private orderColumns(index: number): number[] {
    const { round, geometry } = this.view;
    const order = round.orders[index]!;
    const { pickup, dropoff, known } = order;
    this.features.push(...this.featureColumns(index));
    return sized(ORDER_COLUMNS, [
      index,
      this.places.row(geometry.pickupPlace[index]!),
      this.places.row(geometry.dropoffPlace[index]!),
      order.readyAt - round.asOf,
      order.promisedAt - round.asOf,
      order.latestDropoffAt === null ? NO_LIMIT : order.latestDropoffAt - round.asOf,
      order.size,
      (known.ready ? KnownFlag.ready : 0) |
        (known.pickupWait ? KnownFlag.pickupWait : 0) |
        (known.handover ? KnownFlag.handover : 0),
      pickup.preServiceSeconds,
      pickup.postServiceSeconds,
      dropoff.preServiceSeconds,
      dropoff.postServiceSeconds,
      order.placedAt - round.asOf,
    ]);
  }

  private featureColumns(index: number): number[] {
    const { round } = this.view;
    const { features, placedAt } = round.orders[index]!;
    return sized(ORDER_FEATURE_COLUMNS, [
      features.merchantMeanPrepMinutes,
      features.merchantStdPrepMinutes,
      features.merchantOpenOrders,
      features.itemCount,
      (round.asOf - placedAt) / 60,
      features.pickupWaitMeanMinutes,
      features.handoverMeanMinutes,
      features.dropoffFloor,
    ]);
  }
}

/** The contract's count of columns is kept here, where rows are written by position. */
function sized(columns: number, row: number[]): number[] {
  if (row.length !== columns) throw new RangeError(`a row of ${row.length} values, not ${columns}`);
  return row;
}

function tensor(
  name: keyof typeof shardInputs,
  values: BigInt64Array | Int32Array | Float32Array | Uint16Array,
): NamedTensor {
  const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, datatype: shardInputs[name], shape: [1, values.length], data };
}
