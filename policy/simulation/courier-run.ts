import type { OrderId, Seconds } from '#schemas/brands';
import type { Courier, HeldOrder, Order, Point } from '#schemas/domain';
import type { DayCourier, Leg, Place, Truth } from './day';

/** A stop of a courier's plan, with what the dispatcher expects of it. */
export interface RunStop {
  readonly kind: 'pickup' | 'dropoff' | 'move';
  readonly orders: readonly Order[];
  readonly place: Place;
  readonly preSeconds: number;
  /** A pickup that is done once all its meals are ready, unless another decision comes first; what follows goes with it. */
  readonly open?: true;
  readonly expected: {
    readonly rideSeconds: number;
    /** Service can't happen before it; −Infinity where the plan has no wait. */
    readonly notBefore: number;
    readonly postSeconds: number;
  };
}

/** The stop a courier is at or on the way to: it can't be diverted from it. */
interface Visit {
  readonly stop: RunStop;
  /** As it really happens. */
  readonly servedAt: number;
  readonly departAt: number;
  /** A pickup that never happens: the courier waits to the end of its shift. */
  readonly isInVain: boolean;
  readonly expectedDepartAt: number;
}

export interface CourierLog {
  leg(leg: Leg): void;
  pickedUp(order: Order, courier: DayCourier, at: Seconds): void;
  droppedOff(order: Order, courier: DayCourier, at: Seconds): void;
}

function expectedDeparture(stop: RunStop, startAt: number): number {
  const served = startAt + stop.expected.rideSeconds + stop.preSeconds;
  return Math.max(served, stop.expected.notBefore) + stop.expected.postSeconds;
}

/** Told of what a courier does without a decision. */
export interface OrderBook {
  /** It picks up orders that it was told of only, in the order of their drop-offs. */
  take(courier: DayCourier, orders: readonly Order[], at: Seconds): void;
  /** Its shift has ended before the orders could be picked up; absent where it waits for them all the same. */
  giveBack?(courier: DayCourier, orders: readonly Order[]): void;
}

/** One courier through the day: where it is, what it is at, what it will do. */
export class CourierRun {
  private place: Place;
  private freeAt: number;
  private visit: Visit | null = null;
  private plan: RunStop[] = [];
  private thereSince = -Infinity;

  constructor(
    readonly courier: DayCourier,
    private readonly truth: Truth,
    private readonly log: CourierLog,
    private readonly book: OrderBook = { take: () => undefined },
  ) {
    this.place = courier.start;
    this.freeAt = courier.onAt;
  }

  /** Lives on until `now`: every stop that begins by then is begun, with the true times. */
  advance(now: number): void {
    for (;;) {
      if (this.visit !== null && this.visit.departAt > now) return;
      if (this.visit !== null) this.leave(this.visit);
      const startAt = this.nextStartAt();
      if (startAt > now || startAt === Infinity) return;
      const next = this.plan.shift()!;
      if (next.open) this.beginOpen(next, startAt);
      else this.begin(next, startAt);
    }
  }

  private nextStartAt(): number {
    const next = this.plan[0];
    if (next === undefined) return Infinity;
    if (!next.open) return this.freeAt;
    const ready = largest(next.orders, (order) => this.truth.readyAt(order));
    const at = Math.max(this.freeAt, this.thereSince + next.preSeconds, ready);
    return at > this.courier.offAt ? Infinity : at;
  }

  /** It has walked in and waited. */
  private beginOpen(stop: RunStop, at: number): void {
    const drops = this.plan.filter(({ kind }) => kind === 'dropoff').flatMap(({ orders }) => orders);
    this.book.take(this.courier, drops, at as Seconds);
    this.begin({ ...stop, preSeconds: 0 }, at);
  }

  /** Forgets what was still open. */
  keepBound(): void {
    this.plan = [...this.remaining()];
  }

  /** Replaces what lies beyond the current stop; an idle courier sets out at `now`, or when its shift begins. */
  follow(stops: readonly RunStop[], now: number): void {
    this.plan = [...stops];
    if (this.visit === null) this.freeAt = Math.max(this.freeAt, now);
  }

  /** The stops beyond the current one, up to an open pickup. */
  remaining(): readonly RunStop[] {
    const open = this.plan.findIndex((stop) => stop.open);
    return open < 0 ? this.plan : this.plan.slice(0, open);
  }

  expectedEnd(now: number): number {
    return this.remaining().reduce((t, stop) => expectedDeparture(stop, t), this.expectedFreeAt(now));
  }

  /** The courier as the dispatcher sees it at `now`. */
  seen(now: number, as: 'committed' | 'held'): Courier {
    const rest = this.remaining().filter((stop) => stop.kind !== 'move');
    const committed = as === 'committed' && rest.length > 0;
    const at = committed ? rest[rest.length - 1]!.place.point : this.nextPoint();
    const free = committed
      ? rest.reduce((t, stop) => expectedDeparture(stop, t), this.expectedFreeAt(now))
      : this.expectedFreeAt(now);
    return {
      courierId: this.courier.courierId,
      position: at,
      availableAt: free as Seconds,
      shiftEndsAt: this.courier.offAt,
      vehicle: this.courier.vehicle,
      capacity: this.courier.capacity,
      skills: this.courier.skills,
      held: committed ? [] : heldOf(rest),
      tentativeOrderIds: [],
    };
  }

  isBusy(): boolean {
    return this.visit !== null || this.plan.length > 0;
  }

  private nextPoint(): Point {
    return (this.visit?.stop.place ?? this.place).point;
  }

  private expectedFreeAt(now: number): number {
    return Math.max(now, this.visit?.expectedDepartAt ?? this.freeAt);
  }

  private begin(stop: RunStop, startAt: number): void {
    const { courier, truth } = this;
    const isThere = stop.place.placeId === this.place.placeId;
    const ride = isThere
      ? 0
      : truth.travelSeconds(courier.vehicle, this.place.point, stop.place.point, startAt as Seconds);
    if (!isThere) this.logLeg(stop, startAt);
    const arriveAt = startAt + ride;
    const served = arriveAt + stop.preSeconds;
    const ready = stop.kind === 'pickup' ? largest(stop.orders, (order) => truth.readyAt(order)) : -Infinity;
    const servedAt = Math.max(served, ready);
    const { giveBack } = this.book;
    const isInVain = stop.kind === 'pickup' && giveBack !== undefined && servedAt > courier.offAt;
    const departAt = isInVain ? Math.max(arriveAt, courier.offAt) : servedAt + this.truePost(stop);
    this.visit = { stop, servedAt, departAt, isInVain, expectedDepartAt: expectedDeparture(stop, startAt) };
    if (!isInVain) this.logService(this.visit);
  }

  private truePost(stop: RunStop): number {
    if (stop.kind === 'move') return 0;
    const post = stop.kind === 'pickup' ? 'pickupPostSeconds' : 'dropoffPostSeconds';
    return largest(stop.orders, (order) => this.truth[post](order));
  }

  private leave(visit: Visit): void {
    const { place, kind } = visit.stop;
    if (kind !== 'move' || place.placeId !== this.place.placeId) this.thereSince = visit.departAt;
    this.place = place;
    this.freeAt = visit.departAt;
    this.visit = null;
    if (!visit.isInVain) return;
    const { orders } = visit.stop;
    this.plan = this.plan.filter(
      (stop) => stop.kind !== 'dropoff' || !stop.orders.every((o) => orders.includes(o)),
    );
    this.book.giveBack?.(this.courier, orders);
  }

  private logLeg(stop: RunStop, startAt: number): void {
    const courierId = this.courier.courierId;
    this.log.leg({
      courierId,
      departAt: startAt as Seconds,
      from: this.place.placeId,
      to: stop.place.placeId,
    });
  }

  private logService(visit: Visit): void {
    for (const order of visit.stop.orders) {
      if (visit.stop.kind === 'pickup') this.log.pickedUp(order, this.courier, visit.servedAt as Seconds);
      if (visit.stop.kind === 'dropoff') this.log.droppedOff(order, this.courier, visit.servedAt as Seconds);
    }
  }
}

function largest(orders: readonly Order[], value: (order: Order) => number): number {
  return orders.reduce((most, order) => Math.max(most, value(order)), -Infinity);
}

/** Orders of the stops to come: on board where the pickup is not among them. */
function heldOf(stops: readonly RunStop[]): HeldOrder[] {
  const toPickUp = new Set<OrderId>();
  for (const stop of stops)
    if (stop.kind === 'pickup') for (const order of stop.orders) toPickUp.add(order.orderId);
  const dropped = stops.filter((stop) => stop.kind === 'dropoff').flatMap((stop) => stop.orders);
  return dropped.map(({ orderId }) => ({ orderId, onBoard: !toPickUp.has(orderId) }));
}
