import type { DispatchRound } from '#schemas/domain';
import type { ImportFaults } from './import-faults';
import { checkedRound, IMPORTED_LEAD_MS } from './imported-rounds';
import { openOrders, riders, waybills, type OpenOrder, type Rider, type Waybill } from './meituan-tables';

/** A moment of the published dispatching: the riders and orders that it had to choose from. */
interface Checkpoint {
  readonly dt: number;
  readonly at: number;
  readonly riders: Rider[];
  readonly orders: OpenOrder[];
}

/** What the files don't say for sure, and what therefore is not in the rounds. */
export interface LeftOut {
  ordersWithoutWaybill: number;
  carriedUnknown: number;
  ridersWithoutPosition: number;
  ridersWithTooMany: number;
}

export interface MeituanFilter {
  readonly dates: readonly number[];
  readonly areas: readonly string[];
}

const MOST_HELD = 8;
const chinaOffsetSeconds = 8 * 3_600;

function checkpointsOf(folder: string, { dates }: MeituanFilter, faults: ImportFaults): Checkpoint[] {
  const found = new Map<string, Checkpoint>();
  const wanted = (dt: number): boolean => dates.length === 0 || dates.includes(dt);
  const at = (dt: number, time: number): Checkpoint => {
    const key = `${dt} ${time}`;
    const checkpoint = found.get(key) ?? { dt, at: time, riders: [], orders: [] };
    found.set(key, checkpoint);
    return checkpoint;
  };
  for (const rider of riders(folder, faults)) if (wanted(rider.dt)) at(rider.dt, rider.at).riders.push(rider);
  for (const order of openOrders(folder, faults))
    if (wanted(order.dt)) at(order.dt, order.at).orders.push(order);
  return [...found.values()].sort((a, b) => a.at - b.at || a.dt - b.dt);
}

/** Waybills by order and by waybill id, of what the checkpoints name; of several of an order the accepted one. */
class KnownWaybills {
  private readonly byOrder = new Map<string, Waybill>();
  private readonly orderOfWaybill = new Map<string, string>();

  constructor(folder: string, checkpoints: readonly Checkpoint[], faults: ImportFaults) {
    const named = new Set<string>();
    for (const { riders: these, orders } of checkpoints) {
      for (const { carried } of these) carried.forEach((id) => named.add(id));
      for (const { orderId } of orders) named.add(orderId);
    }
    for (const waybill of waybills(folder, faults)) {
      const { orderId, waybillId } = waybill;
      if (!named.has(orderId) && !named.has(waybillId)) continue;
      this.orderOfWaybill.set(waybillId, orderId);
      if (waybill.isGrabbed || !this.byOrder.has(orderId)) this.byOrder.set(orderId, waybill);
    }
  }

  /** By the id of an order, or else of a waybill. */
  find(id: string): Waybill | undefined {
    return this.byOrder.get(id) ?? this.byOrder.get(this.orderOfWaybill.get(id) ?? '');
  }
}

/** An order as it was known at the checkpoint: nothing of the waybill that happened later. */
function orderBody(waybill: Waybill, at: number) {
  const placedAt = Math.min(waybill.orderedAt || at, at);
  const readyAt = Math.max(waybill.readyAt || at, placedAt);
  return {
    orderId: waybill.orderId,
    pickup: { placeId: `poi-${waybill.placeId}`, point: waybill.pickup },
    dropoff: { point: waybill.dropoff },
    placedAt,
    readyAt,
    ...(waybill.promisedAt > 0 && { promisedAt: Math.max(waybill.promisedAt, placedAt) }),
    known: { ready: false, pickupWait: false, handover: false },
  };
}

interface RoundParts {
  readonly orders: Map<string, Waybill>;
  readonly heldBy: Set<string>;
}

function courierBody(rider: Rider, known: KnownWaybills, parts: RoundParts, leftOut: LeftOut) {
  const { at, courierId, position, carried } = rider;
  if (position.x === 0 && position.y === 0) {
    leftOut.ridersWithoutPosition += 1;
    return [];
  }
  const held = new Map<string, { orderId: string; onBoard: boolean }>();
  for (const id of carried) {
    const waybill = known.find(id);
    if (waybill === undefined) leftOut.carriedUnknown += 1;
    else if (!isCarried(waybill, at, parts)) continue;
    else held.set(waybill.orderId, { orderId: waybill.orderId, onBoard: happened(waybill.fetchedAt, at) });
  }
  if (held.size > MOST_HELD) {
    leftOut.ridersWithTooMany += 1;
    return [];
  }
  for (const { orderId } of held.values()) {
    parts.heldBy.add(orderId);
    parts.orders.set(orderId, known.find(orderId)!);
  }
  const capacity = Math.max(10, held.size);
  return [{ courierId, position, vehicle: 'scooter', capacity, held: [...held.values()] }];
}

const happened = (time: number, at: number): boolean => time > 0 && time <= at;

/** Not delivered yet, nobody else's, and not to be given to somebody in this round. */
function isCarried({ orderId, arrivedAt }: Waybill, at: number, parts: RoundParts): boolean {
  return !happened(arrivedAt, at) && !parts.heldBy.has(orderId) && !parts.orders.has(orderId);
}

function bodyOf(checkpoint: Checkpoint, known: KnownWaybills, filter: MeituanFilter, leftOut: LeftOut) {
  const { at, dt } = checkpoint;
  const parts: RoundParts = { orders: new Map(), heldBy: new Set() };
  for (const { orderId } of checkpoint.orders) {
    const waybill = known.find(orderId);
    if (waybill === undefined) leftOut.ordersWithoutWaybill += 1;
    else if (filter.areas.length === 0 || filter.areas.includes(waybill.areaId))
      parts.orders.set(waybill.orderId, waybill);
  }
  const couriers = checkpoint.riders.flatMap((rider) => courierBody(rider, known, parts, leftOut));
  const local = at + chinaOffsetSeconds;
  return {
    tenantId: 'meituan',
    runId: 'imported',
    roundId: `${dt}-${at}`,
    zoneId: 'meituan',
    sequence: at,
    asOf: at,
    deadline: at * 1_000 + IMPORTED_LEAD_MS,
    couriers,
    orders: [...parts.orders.values()].map((waybill) => orderBody(waybill, at)),
    policy: {
      context: { secondsOfDay: local % 86_400, dayOfWeek: (Math.floor(local / 86_400) + 3) % 7 },
    },
  };
}

/** The dispatch moments of the published files as rounds, as they were known then. */
export function meituanRounds(
  folder: string,
  filter: MeituanFilter,
  faults: ImportFaults,
): { readonly rounds: readonly DispatchRound[]; readonly leftOut: LeftOut } {
  const leftOut = {
    ordersWithoutWaybill: 0,
    carriedUnknown: 0,
    ridersWithoutPosition: 0,
    ridersWithTooMany: 0,
  };
  const checkpoints = checkpointsOf(folder, filter, faults);
  faults.throwIfAny();
  const known = new KnownWaybills(folder, checkpoints, faults);
  faults.throwIfAny();
  const rounds = checkpoints.flatMap((checkpoint) => {
    const place = `the round of ${checkpoint.dt} at ${checkpoint.at}`;
    const round = checkedRound(bodyOf(checkpoint, known, filter, leftOut), place, faults);
    return round === null ? [] : [round];
  });
  faults.throwIfAny();
  return { rounds, leftOut };
}
