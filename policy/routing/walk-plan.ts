import type { Seconds } from '#schemas/brands';
import type { DispatchRound, Order, PlannedStop } from '#schemas/domain';
import type { CandidateStop } from './candidate-stops';
import type { OrderTimes, OrderTimesByIndex } from './order-times';
import type { RoundGeometry, TravelTime } from './round-geometry';

export interface WalkInput {
  readonly round: DispatchRound;
  readonly geometry: RoundGeometry;
  readonly travel: TravelTime;
  readonly times: OrderTimesByIndex;
  readonly courier: number;
  readonly stops: readonly CandidateStop[];
  /** Stop numbers (1-based) in visiting order. */
  readonly sequence: readonly number[];
}

export interface WalkedPlan {
  readonly stops: PlannedStop[];
  readonly cost: bigint;
  /** Pickups before drop-offs, a vehicle that drives, shift end, latest drop-offs and capacity all kept. */
  readonly feasible: boolean;
}

/** A plan starts when the courier is free, and never before the round's asOf. Relative to asOf. */
export function startOfCourier(round: DispatchRound, courier: number): number {
  return Math.max(0, round.couriers[courier]!.availableAt - round.asOf);
}

/** The walk of tensors.ts with running sums; all times are relative to asOf. */
class Walk {
  private time: number;
  private place: number;
  private load: number;
  private readonly aboard: Set<number>;
  private late = 0;
  private fresh = 0;
  feasible = true;

  constructor(private readonly input: WalkInput) {
    const { round, courier, geometry } = input;
    this.time = startOfCourier(round, courier);
    this.place = geometry.courierPlace[courier]!;
    this.aboard = ordersOnBoard(input.stops);
    this.load = 0;
    for (const index of this.aboard) this.load += round.orders[index]!.size;
  }

  visit(stop: CandidateStop): PlannedStop {
    const { round } = this.input;
    const arrive = this.time + this.legTo(stop.place);
    const orders = stop.orders.map((index) => ({
      index,
      order: round.orders[index]!,
      times: this.input.times.get(index)!,
    }));
    const served = stop.kind === 'pickup' ? this.pickUp(arrive, orders) : this.dropOff(arrive, orders[0]!);
    const services = orders.map(({ times }) =>
      stop.kind === 'pickup' ? times.pickupPostService : times.dropoffPostService,
    );
    this.time = served + Math.max(...services);
    this.place = stop.place;
    const absolute = (time: number) => (round.asOf + time) as Seconds;
    return {
      kind: stop.kind,
      orderIds: orders.map(({ order }) => order.orderId),
      placeId: orders[0]!.order[stop.kind].placeId,
      arriveAt: absolute(arrive),
      servedAt: absolute(served),
      departAt: absolute(this.time),
    };
  }

  /** A vehicle without a speed gets nowhere: such a plan is infeasible, its times mean nothing. */
  private legTo(place: number): number {
    const { round, courier, travel } = this.input;
    const seconds = travel(this.place, place, round.couriers[courier]!.vehicle);
    if (Number.isFinite(seconds)) return seconds;
    this.feasible = false;
    return 0;
  }

  private pickUp(arrive: number, orders: readonly WalkedOrder[]): number {
    const courier = this.input.round.couriers[this.input.courier]!;
    const preService = Math.max(...orders.map(({ order }) => order.pickup.preServiceSeconds));
    const ready = Math.max(...orders.map(({ times }) => times.readyAt));
    const served = Math.max(arrive + preService, ready);
    for (const { index, order } of orders) {
      this.aboard.add(index);
      this.load += order.size;
    }
    const inShift = served + this.input.round.asOf <= courier.shiftEndsAt;
    if (!inShift || this.load > courier.capacity) this.feasible = false;
    return served;
  }

  private dropOff(arrive: number, { index, order, times }: WalkedOrder): number {
    const { asOf } = this.input.round;
    const served = arrive + order.dropoff.preServiceSeconds;
    this.late += Math.max(0, served + asOf - order.promisedAt);
    this.fresh += served - times.readyAt;
    if (!this.aboard.delete(index)) this.feasible = false;
    if (order.latestDropoffAt !== null && served + asOf > order.latestDropoffAt) this.feasible = false;
    this.load -= order.size;
    return served;
  }

  cost(): bigint {
    const { round, courier } = this.input;
    const { lateness, duration, freshness } = round.policy.weights;
    const spent = this.time - startOfCourier(round, courier);
    return (
      BigInt(lateness) * BigInt(this.late) +
      BigInt(duration) * BigInt(spent) +
      BigInt(freshness) * BigInt(this.fresh)
    );
  }
}

interface WalkedOrder {
  readonly index: number;
  readonly order: Order;
  readonly times: OrderTimes;
}

/** Orders that are dropped off without being picked up in the plan. */
function ordersOnBoard(stops: readonly CandidateStop[]): Set<number> {
  const onBoard = new Set<number>();
  for (const { kind, orders } of stops) {
    if (kind === 'dropoff') for (const order of orders) onBoard.add(order);
  }
  for (const { kind, orders } of stops) {
    if (kind === 'pickup') for (const order of orders) onBoard.delete(order);
  }
  return onBoard;
}

/** Times of a plan's stops and its exact cost, from the order of its stops alone. */
export function walkPlan(input: WalkInput): WalkedPlan {
  const walk = new Walk(input);
  const stops = input.sequence.map((number) => walk.visit(input.stops[number - 1]!));
  const mixes = !input.round.policy.interleave && goesBack(input);
  return { stops, cost: walk.cost(), feasible: walk.feasible && !mixes };
}

/** Is a stop of a group visited after one of a later group? */
function goesBack({ stops, sequence }: WalkInput): boolean {
  const groups = sequence.map((number) => stops[number - 1]!.group);
  return groups.some((group, at) => at > 0 && group < groups[at - 1]!);
}
