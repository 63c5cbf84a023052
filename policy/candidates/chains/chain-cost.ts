import type { ChainProblem } from './chain-problem';

interface Trip {
  readonly courier: number;
  /** Its orders are those from `begin` to before `end`. */
  readonly orders: Int32Array;
  readonly begin: number;
  readonly end: number;
  readonly arrive: number;
}

/**
 * The cost of a courier's chain as the engine will find it, for drop-offs in the order given: the walk of
 * tensors.ts, trip by trip. A chain is a list of orders; neighbours with one pickup place are one trip.
 */
export class ChainCost {
  /** Evaluations so far. */
  count = 0;
  private readonly lateness: number;
  private readonly duration: number;
  private readonly freshness: number;
  private readonly uncovered: number;

  constructor(private readonly problem: ChainProblem) {
    const { weights, uncoveredOrderCost } = problem.round.policy;
    this.lateness = weights.lateness;
    this.duration = weights.duration;
    this.freshness = weights.freshness;
    this.uncovered = uncoveredOrderCost ?? 0;
  }

  /**
   * Of the first `length` of `orders`; Infinity where a limit is broken at the stated times. Where ready times aren't
   * known the mean over what they may be; one that breaks a limit then counts as stated.
   */
  of(courier: number, orders: Int32Array, length: number): number {
    this.count += 1;
    const stated = this.atStatedTimes(courier, orders, length);
    const { scenarios } = this.problem;
    if (scenarios === null || stated === Infinity) return stated;
    if (!isAny(scenarios.isUncertain, orders, length)) return stated;
    const sum = scenarios.readyAt.reduce((total, readyAt) => {
      const cost = this.at(readyAt, courier, orders, length);
      return total + (cost === Infinity ? stated : cost);
    }, 0);
    return sum / scenarios.readyAt.length;
  }

  atStatedTimes(courier: number, orders: Int32Array, length: number): number {
    return this.at(this.problem.readyAt, courier, orders, length);
  }

  private at(readyAt: Float64Array, courier: number, orders: Int32Array, length: number): number {
    if (length === 0) return 0;
    const { problem } = this;
    const { pickupPlace, dropoffPlace, dropoffPre, dropoffPost, promisedAt } = problem;
    const vehicle = problem.vehicle[courier]!;
    let at = problem.startAt[courier]!;
    let place = problem.startPlace[courier]!;
    let late = 0;
    let fresh = 0;
    for (let begin = 0; begin < length;) {
      const restaurant = pickupPlace[orders[begin]!]!;
      const end = this.endOfTrip(orders, begin, length);
      const arrive = at + problem.travel(vehicle, place, restaurant);
      at = this.leaveAt(readyAt, { courier, orders, begin, end, arrive });
      if (at === Infinity) return Infinity;
      place = restaurant;
      for (let i = begin; i < end; i += 1) {
        const order = orders[i]!;
        const served = at + problem.travel(vehicle, place, dropoffPlace[order]!) + dropoffPre[order]!;
        if (served > problem.latestDropoffAt[order]!) return Infinity;
        if (served > promisedAt[order]!) late += served - promisedAt[order]!;
        fresh += served - readyAt[order]!;
        at = served + dropoffPost[order]!;
        place = dropoffPlace[order]!;
      }
      begin = end;
    }
    const beyond = Math.max(0, length - problem.coveredOrders[courier]!);
    return (
      this.lateness * late +
      this.duration * (at - problem.startAt[courier]!) +
      this.freshness * fresh +
      (beyond === 0 ? 0 : this.uncovered * beyond)
    );
  }

  endOfTrip(orders: Int32Array, begin: number, length: number): number {
    const { pickupPlace } = this.problem;
    const restaurant = pickupPlace[orders[begin]!]!;
    let end = begin + 1;
    while (end < length && pickupPlace[orders[end]!]! === restaurant) end += 1;
    return end;
  }

  /** When the courier that arrives then leaves the restaurant with a trip's orders. */
  private leaveAt(readyAt: Float64Array, { courier, orders, begin, end, arrive }: Trip): number {
    const { pickupPre, pickupPost, size, shiftEndsAt, capacity } = this.problem;
    let before = 0;
    let after = 0;
    let ready = -Infinity;
    let load = 0;
    for (let i = begin; i < end; i += 1) {
      const order = orders[i]!;
      before = Math.max(before, pickupPre[order]!);
      after = Math.max(after, pickupPost[order]!);
      ready = Math.max(ready, readyAt[order]!);
      load += size[order]!;
    }
    const served = Math.max(arrive + before, ready);
    return served > shiftEndsAt[courier]! || load > capacity[courier]! ? Infinity : served + after;
  }
}

function isAny(flags: Uint8Array, orders: Int32Array, length: number): boolean {
  for (let i = 0; i < length; i += 1) if (flags[orders[i]!] === 1) return true;
  return false;
}
