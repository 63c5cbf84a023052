import type { CourierId, OrderId, PlaceId, Seconds } from '#schemas/brands';
import type { Order } from '#schemas/domain';
import { CourierRun, type OrderBook } from './courier-run';
import type { Day, Place } from './day';
import { DayLog } from './day-log';

/** A day between two rounds: where each order and each courier stands. */
export interface DayState {
  readonly day: Day;
  readonly runs: ReadonlyMap<CourierId, CourierRun>;
  readonly places: ReadonlyMap<PlaceId, Place>;
  readonly log: DayLog;
  /** Not placed yet, latest placement first. */
  readonly unplaced: Order[];
  /** In the order of their placement. */
  readonly placed: Order[];
  /** Placed and not given to a courier for good. */
  readonly open: Map<OrderId, Order>;
  /** Given to a courier and not dropped off. */
  readonly given: Map<OrderId, Order>;
  /** Rounds that had the order and did not give it away. */
  readonly deferrals: Map<OrderId, number>;
  /** What couriers were told of by the last decision without being given it, in the order of the plan. */
  readonly told: Map<CourierId, OrderId[]>;
  /** Orders that each courier was given so far. */
  readonly ordersGiven: Map<CourierId, number>;
}

export function dayState(day: Day): DayState {
  const log = new DayLog();
  const restaurants = day.demand?.restaurants ?? [];
  const stops = [...restaurants, ...day.orders.flatMap((order) => [order.pickup, order.dropoff])];
  const book: OrderBook = {
    take: ({ courierId }, orders, at) => give(state, courierId, orders, at),
    ...(day.couriersAre === 'committed' && {
      giveBack: ({ courierId }, orders) => giveBack(state, courierId, orders),
    }),
  };
  const state: DayState = {
    day,
    runs: new Map(day.couriers.map((c) => [c.courierId, new CourierRun(c, day.truth, log, book)])),
    places: new Map(stops.map(({ placeId, point }) => [placeId, { placeId, point }])),
    log,
    unplaced: [...day.orders].sort((a, b) => b.placedAt - a.placedAt || (a.orderId < b.orderId ? 1 : -1)),
    placed: [],
    open: new Map(),
    given: new Map(),
    deferrals: new Map(),
    told: new Map(),
    ordersGiven: new Map(),
  };
  return state;
}

/** The courier is bound to these orders from now on. */
export function give(state: DayState, courierId: CourierId, orders: readonly Order[], at: Seconds): void {
  const given = orders.filter(({ orderId }) => state.open.has(orderId));
  const orderIds = given.map(({ orderId }) => orderId);
  if (given.length > 0) state.log.bundle({ courierId, assignedAt: at, orderIds });
  for (const orderId of orderIds) {
    state.given.set(orderId, state.open.get(orderId)!);
    state.open.delete(orderId);
  }
  state.ordersGiven.set(courierId, (state.ordersGiven.get(courierId) ?? 0) + given.length);
}

function giveBack(state: DayState, courierId: CourierId, orders: readonly Order[]): void {
  for (const order of orders) {
    state.given.delete(order.orderId);
    state.open.set(order.orderId, order);
  }
  state.log.bundleGivenBack(courierId, orders[0]!.orderId);
  state.ordersGiven.set(courierId, state.ordersGiven.get(courierId)! - orders.length);
}

/** Lets the day happen up to `now`. */
export function advanceTo(state: DayState, now: number): void {
  for (const run of state.runs.values()) run.advance(now);
  for (let next = state.unplaced.at(-1); next !== undefined && next.placedAt <= now;) {
    state.open.set(next.orderId, next);
    state.placed.push(next);
    state.unplaced.pop();
    next = state.unplaced.at(-1);
  }
  for (const orderId of [...state.given.keys()]) {
    if (state.log.isDroppedOff(orderId, now as Seconds)) state.given.delete(orderId);
  }
}
