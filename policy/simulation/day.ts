import type { CourierId, OrderId, PlaceId, RunId, Seconds, TenantId, UnixMs, ZoneId } from '#schemas/brands';
import type {
  Courier,
  DecisionContent,
  DemandPlace,
  DispatchRound,
  Order,
  Point,
  RoundPolicy,
  Space,
  Vehicle,
} from '#schemas/domain';
import type { DemandModel } from './expected-demand';

/** Where a courier stands, by the name of the place. */
export interface Place {
  readonly placeId: PlaceId;
  readonly point: Point;
}

export interface DayCourier {
  readonly courierId: CourierId;
  readonly start: Place;
  readonly onAt: Seconds;
  /** No pickup after it is planned. */
  readonly offAt: Seconds;
  readonly vehicle: Vehicle;
  readonly capacity: number;
  readonly skills: readonly string[];
  /** Orders of the day that its guaranteed pay covers; absent where pay is no matter. */
  readonly coveredOrders?: number;
}

/** What really happens. The dispatcher never sees it before it has happened. */
export interface Truth {
  readyAt(order: Order): Seconds;
  pickupPostSeconds(order: Order): Seconds;
  dropoffPostSeconds(order: Order): Seconds;
  travelSeconds(vehicle: Vehicle, from: Point, to: Point, departAt: Seconds): Seconds;
}

/** What is known at `asOf`: the round without its policy. */
export interface RoundView {
  readonly asOf: Seconds;
  readonly couriers: readonly Courier[];
  readonly orders: readonly Order[];
  /** Where orders are expected, by those placed so far; absent where the day has no such model. */
  readonly demand?: readonly DemandPlace[];
}

export interface Day {
  readonly name: string;
  readonly tenantId: TenantId;
  readonly zoneId: ZoneId;
  readonly space: Space;
  /** The first round's asOf; rounds follow every `roundSeconds`. */
  readonly startsAt: Seconds;
  readonly roundSeconds: Seconds;
  readonly couriers: readonly DayCourier[];
  /** As the dispatcher knows them from their placement; `timesDeferred` is 0. */
  readonly orders: readonly Order[];
  readonly truth: Truth;
  /**
   * `committed`: a courier follows a final plan to its end and is offered free at that end.
   * `held`: it is offered with the stops it holds, beyond the one it is at or on the way to.
   */
  readonly couriersAre: 'committed' | 'held';
  /**
   * Of `committed` couriers: what one takes from a restaurant may be changed until it picks up, which it does between
   * rounds once all meals that it was told of are ready.
   */
  readonly lateChanges?: boolean;
  /** Couriers whose shift begins within this time are offered too (shifts are known beforehand). */
  readonly shiftLookaheadSeconds: Seconds;
  /** Orders ready later than this after `asOf` wait for a later round; null offers all that are placed. */
  readonly offerHorizonSeconds: Seconds | null;
  /** Rounds after the last placement, at most; then what is open stays undelivered. */
  readonly maxRoundsAfterLastOrder: number;
  /** How orders are expected; absent: nothing is said of them. */
  readonly demand?: DemandModel;
  policyAt(view: RoundView): RoundPolicy;
}

export type Dispatch = (round: DispatchRound) => Promise<DecisionContent>;

/** One drive. */
export interface Leg {
  readonly courierId: CourierId;
  readonly departAt: Seconds;
  readonly from: PlaceId;
  readonly to: PlaceId;
}

/** One committed bundle, in drop-off order. */
export interface BundleRecord {
  readonly courierId: CourierId;
  readonly assignedAt: Seconds;
  readonly orderIds: readonly OrderId[];
}

export interface Delivery {
  readonly orderId: OrderId;
  readonly courierId: CourierId;
  readonly pickedUpAt: Seconds;
  readonly droppedOffAt: Seconds;
}

/** Something that has happened, as an observer of the day would report it. */
export interface DayEvent {
  readonly kind: 'picked_up' | 'dropped_off';
  readonly orderId: OrderId;
  readonly courierId: CourierId;
  readonly at: Seconds;
}

export interface DayResult {
  readonly rounds: number;
  readonly legs: readonly Leg[];
  readonly bundles: readonly BundleRecord[];
  readonly deliveries: readonly Delivery[];
  readonly undelivered: readonly OrderId[];
}

export interface DayRun {
  readonly day: Day;
  readonly runId: RunId;
  readonly dispatch: Dispatch;
  /** Wall-clock deadline of a round, asked when the round is built. */
  deadlineAt(): UnixMs;
  /** Stops the day after the round in hand. */
  readonly signal?: AbortSignal;
  /** What has happened since the last call, before each round and at the end. */
  onEvents?(events: readonly DayEvent[]): Promise<void>;
  onRound?(round: DispatchRound, decision: DecisionContent): void;
}
