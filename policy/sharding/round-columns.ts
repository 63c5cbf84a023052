import { vehicles } from '#schemas/domain';
import {
  COURIER_COLUMNS,
  KnownFlag,
  NO_LIMIT,
  ORDER_COLUMNS,
  ORDER_FEATURE_COLUMNS,
  OrderColumn,
  CourierColumn,
} from '#schemas/tensors';
import type { PlanningView } from '../candidates/index';
import { startOfCourier } from '../routing/index';

/** Rows of all couriers and orders of a round as shards have them, but for the row numbers of a shard. */
export interface RoundColumns {
  readonly couriers: Int32Array;
  readonly orders: Int32Array;
  readonly features: Float32Array;
  /** Held orders of courier c: `held[heldStart[c]] … held[heldStart[c + 1] − 1]`, indices into the orders. */
  readonly heldStart: Int32Array;
  readonly held: Int32Array;
  readonly onBoard: Uint8Array;
}

export function roundColumns(view: PlanningView): RoundColumns {
  const { round, indexOf } = view;
  const heldStart = new Int32Array(round.couriers.length + 1);
  round.couriers.forEach(({ held }, i) => (heldStart[i + 1] = heldStart[i]! + held.length));
  const held = round.couriers.flatMap((courier) => courier.held);
  return {
    couriers: courierColumns(view),
    orders: orderColumns(view),
    features: featureColumns(view),
    heldStart,
    held: Int32Array.from(held, ({ orderId }) => indexOf.get(orderId)!),
    onBoard: Uint8Array.from(held, ({ onBoard }) => (onBoard ? 1 : 0)),
  };
}

function courierColumns({ round }: PlanningView): Int32Array {
  const columns = new Int32Array(round.couriers.length * COURIER_COLUMNS);
  round.couriers.forEach((courier, index) => {
    const at = index * COURIER_COLUMNS;
    columns[at + CourierColumn.roundIndex] = index;
    columns[at + CourierColumn.startAt] = startOfCourier(round, index);
    columns[at + CourierColumn.latestPickupAt] = courier.shiftEndsAt - round.asOf;
    columns[at + CourierColumn.vehicle] = vehicles.indexOf(courier.vehicle);
    columns[at + CourierColumn.capacity] = courier.capacity;
    columns[at + CourierColumn.heldCount] = courier.held.length;
  });
  return columns;
}

function orderColumns({ round }: PlanningView): Int32Array {
  const columns = new Int32Array(round.orders.length * ORDER_COLUMNS);
  round.orders.forEach((order, index) => {
    const at = index * ORDER_COLUMNS;
    const { pickup, dropoff, known, latestDropoffAt } = order;
    columns[at + OrderColumn.roundIndex] = index;
    columns[at + OrderColumn.readyAt] = order.readyAt - round.asOf;
    columns[at + OrderColumn.promisedAt] = order.promisedAt - round.asOf;
    columns[at + OrderColumn.latestDropoffAt] =
      latestDropoffAt === null ? NO_LIMIT : latestDropoffAt - round.asOf;
    columns[at + OrderColumn.size] = order.size;
    columns[at + OrderColumn.flags] =
      (known.ready ? KnownFlag.ready : 0) |
      (known.pickupWait ? KnownFlag.pickupWait : 0) |
      (known.handover ? KnownFlag.handover : 0);
    columns[at + OrderColumn.pickupPreService] = pickup.preServiceSeconds;
    columns[at + OrderColumn.pickupPostService] = pickup.postServiceSeconds;
    columns[at + OrderColumn.dropoffPreService] = dropoff.preServiceSeconds;
    columns[at + OrderColumn.dropoffPostService] = dropoff.postServiceSeconds;
    columns[at + OrderColumn.placedAt] = order.placedAt - round.asOf;
  });
  return columns;
}

function featureColumns({ round }: PlanningView): Float32Array {
  const columns = new Float32Array(round.orders.length * ORDER_FEATURE_COLUMNS);
  round.orders.forEach(({ features, placedAt }, index) => {
    const row = [
      features.merchantMeanPrepMinutes,
      features.merchantStdPrepMinutes,
      features.merchantOpenOrders,
      features.itemCount,
      (round.asOf - placedAt) / 60,
      features.pickupWaitMeanMinutes,
      features.handoverMeanMinutes,
      features.dropoffFloor,
    ];
    if (row.length !== ORDER_FEATURE_COLUMNS) throw new RangeError(`${row.length} features`);
    columns.set(row, index * ORDER_FEATURE_COLUMNS);
  });
  return columns;
}
