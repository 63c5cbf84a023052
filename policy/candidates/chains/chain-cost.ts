import type { ChainProblem } from './chain-problem';

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

  /** Of the first `length` of `orders`; Infinity where a limit is broken. */
  of(courier: number, orders: Int32Array, length: number): number {
    if (length === 0) return 0;
    this.count += 1;
    const { problem } = this;
    const { pickupPlace, dropoffPlace, dropoffPre, dropoffPost, promisedAt, readyAt } = problem;
    const vehicle = problem.vehicle[courier]!;
    let at = problem.startAt[courier]!;
    let place = problem.startPlace[courier]!;
    let late = 0;
    let fresh = 0;
    for (let begin = 0; begin < length;) {
      const restaurant = pickupPlace[orders[begin]!]!;
      const end = this.endOfTrip(orders, begin, length);
      at = this.leaveAt(courier, orders, begin, end, at + problem.travel(vehicle, place, restaurant));
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
  private leaveAt(courier: number, orders: Int32Array, begin: number, end: number, arrive: number): number {
    const { pickupPre, pickupPost, readyAt, size, shiftEndsAt, capacity } = this.problem;
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
