import type { DispatchRound } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { ORDER_TIME_COLUMNS, OrderTimeColumn } from '#schemas/tensors';

/** The times of an order that a plan used: seconds, `readyAt` relative to the round's asOf. */
export interface OrderTimes {
  readonly readyAt: number;
  readonly pickupPostService: number;
  readonly dropoffPostService: number;
}
/** By index into `round.orders`. */
export type OrderTimesByIndex = ReadonlyMap<number, OrderTimes>;

const rowBytes = 4 * ORDER_TIME_COLUMNS;

export function decodeOrderTimes(bytes: Uint8Array): Map<number, OrderTimes> {
  if (bytes.byteLength % rowBytes !== 0) {
    throw new RoundhouseError(
      'PAYLOAD_INVALID',
      `order_times: ${bytes.byteLength} bytes, rows of ${rowBytes}`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const times = new Map<number, OrderTimes>();
  for (let at = 0; at < bytes.byteLength; at += rowBytes) {
    const column = (index: number) => view.getInt32(at + 4 * index, true);
    times.set(column(OrderTimeColumn.roundIndex), {
      readyAt: column(OrderTimeColumn.readyAt),
      pickupPostService: column(OrderTimeColumn.pickupPostService),
      dropoffPostService: column(OrderTimeColumn.dropoffPostService),
    });
  }
  return times;
}

export function encodeOrderTimes(times: OrderTimesByIndex): Uint8Array {
  const bytes = new Uint8Array(times.size * rowBytes);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [index, { readyAt, pickupPostService, dropoffPostService }] of times) {
    view.setInt32(at + 4 * OrderTimeColumn.roundIndex, index, true);
    view.setInt32(at + 4 * OrderTimeColumn.readyAt, readyAt, true);
    view.setInt32(at + 4 * OrderTimeColumn.pickupPostService, pickupPostService, true);
    view.setInt32(at + 4 * OrderTimeColumn.dropoffPostService, dropoffPostService, true);
    at += rowBytes;
  }
  return bytes;
}

/** The round's own times: what a round whose times are all known is planned with. */
export function statedOrderTimes(round: DispatchRound): Map<number, OrderTimes> {
  return new Map(
    round.orders.map((order, index) => [
      index,
      {
        readyAt: order.readyAt - round.asOf,
        pickupPostService: order.pickup.postServiceSeconds,
        dropoffPostService: order.dropoff.postServiceSeconds,
      },
    ]),
  );
}

/** INT32 per mille by vehicle code, as in an outcome. */
export function decodeRideFactors(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.byteLength / 4) }, (_, i) => view.getInt32(4 * i, true));
}
