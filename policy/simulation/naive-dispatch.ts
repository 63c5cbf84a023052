import type { Assignment, Courier, DispatchRound, Order } from '#schemas/domain';
import { commitmentStage } from '../commitment/commitment-stage';
import {
  noRideFactors,
  orderIndices,
  roundGeometry,
  statedOrderTimes,
  stopsOfCandidate,
  travelTime,
  walkPlan,
} from '../routing/index';
import type { Dispatch } from './day';
import { plannedContent } from './planned-content';

/**
 * The baseline: oldest order first, each to the courier that is there first, one order a trip, no second
 * thoughts. For rounds whose times are all known; couriers hold nothing.
 */
export const naiveDispatch: Dispatch = (round) => {
  const planner = new NaivePlanner(round);
  const oldestFirst = round.orders.map((_, index) => index);
  oldestFirst.sort((a, b) => round.orders[a]!.placedAt - round.orders[b]!.placedAt || a - b);
  const assignments: Assignment[] = [];
  for (const order of oldestFirst) {
    const assignment = planner.assign(order);
    if (assignment !== null) assignments.push(assignment);
  }
  return Promise.resolve(plannedContent(round, assignments, (id) => planner.courier(id)));
};

class NaivePlanner {
  private readonly geometry;
  private readonly travel;
  private readonly times;
  private readonly indexOf;
  private readonly taken = new Set<number>();

  constructor(private readonly round: DispatchRound) {
    this.geometry = roundGeometry(round);
    this.travel = travelTime(round, this.geometry, noRideFactors);
    this.times = statedOrderTimes(round);
    this.indexOf = orderIndices(round);
  }

  courier(courierId: Courier['courierId']): Courier {
    return this.round.couriers.find((courier) => courier.courierId === courierId)!;
  }

  assign(order: number): Assignment | null {
    let best: { courier: number; plan: ReturnType<typeof walkPlan>; arriveAt: number } | null = null;
    for (let courier = 0; courier < this.round.couriers.length; courier += 1) {
      if (this.taken.has(courier)) continue;
      const plan = this.walk(courier, order);
      const arriveAt = plan.stops[0]!.arriveAt;
      if (plan.feasible && (best === null || arriveAt < best.arriveAt)) best = { courier, plan, arriveAt };
    }
    if (best === null) return null;
    this.taken.add(best.courier);
    return this.assignment(this.round.couriers[best.courier]!, this.round.orders[order]!, best.plan);
  }

  private walk(courier: number, order: number) {
    const { round, geometry, travel, times } = this;
    const stops = stopsOfCandidate(round, geometry, this.indexOf, courier, [order]);
    return walkPlan({ round, geometry, travel, times, courier, stops, sequence: [1, 2] });
  }

  private assignment(courier: Courier, order: Order, plan: ReturnType<typeof walkPlan>): Assignment {
    const orderIds = [order.orderId];
    return {
      courierId: courier.courierId,
      orderIds,
      stops: plan.stops,
      cost: plan.cost,
      unproven: false,
      stage: commitmentStage(plan.stops, this.round, courier, orderIds),
    };
  }
}
