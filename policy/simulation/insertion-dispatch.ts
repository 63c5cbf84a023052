import type { Assignment, DispatchRound } from '#schemas/domain';
import { ChainCost } from '../candidates/chains/chain-cost';
import { ChainPlan, type ChainPlace } from '../candidates/chains/chain-plan';
import { chainProblem } from '../candidates/chains/chain-problem';
import { ChainRules } from '../candidates/chains/chain-rules';
import { planningView, type PlanningView } from '../candidates/planning-view';
import { commitmentStage } from '../commitment/commitment-stage';
import { roundIndex } from '../join/round-index';
import { tripsOfPlan } from '../join/trips-of-plan';
import { statedOrderTimes, stopsOfCandidate, walkPlan, type CandidateStop } from '../routing/index';
import type { Dispatch } from './day';
import { plannedContent } from './planned-content';

const noSkips = () => false;

/**
 * A baseline: oldest order first, each where it makes the trips of a courier dearer by least, by the round's own costs;
 * what was put stays. For rounds whose times are all known; couriers hold nothing.
 */
export const insertionDispatch: Dispatch = (round) => {
  const view = planningView(round);
  const plan = inserted(view);
  const { courierCount } = plan.problem;
  const planned = Array.from({ length: courierCount }, (_, courier) =>
    trips(view, courier, plan.of(courier)),
  );
  const couriers = new Map(round.couriers.map((courier) => [courier.courierId, courier]));
  return Promise.resolve(plannedContent(round, planned.flat(), (id) => couriers.get(id)!));
};

function inserted(view: PlanningView) {
  const { round } = view;
  const problem = chainProblem(view);
  const { maxOrders } = round.policy.bundles;
  const rules = new ChainRules(view, problem, round.policy.chains ?? { maxTrips: 1, maxOrders });
  const oldestFirst = round.orders.map((_, order) => order);
  const plan = new ChainPlan(problem, rules, new ChainCost(problem), oldestFirst);
  oldestFirst.sort((a, b) => round.orders[a]!.placedAt - round.orders[b]!.placedAt || a - b);
  for (const order of oldestFirst) {
    const best: ChainPlace = { courier: -1, at: 0, added: problem.penalty[order]! };
    view.drives.forEach((drives, courier) => {
      if (drives) plan.findPlace(courier, order, best, noSkips);
    });
    if (best.courier >= 0) plan.insert(order, best);
  }
  return { problem, of: (courier: number): readonly number[] => [...plan.chain(courier)] };
}

/** A courier's orders as assignments: the first trip may be committed. */
function trips(view: PlanningView, courier: number, orders: readonly number[]): Assignment[] {
  if (orders.length === 0) return [];
  const { round, geometry, indexOf, travel } = view;
  const times = statedOrderTimes(round);
  const stops = stopsOfCandidate(round, geometry, indexOf, courier, orders);
  const walked = walkPlan({ round, geometry, travel, times, courier, stops, sequence: tripByTrip(stops) });
  const [first, ...later] = tripsOfPlan(roundIndex(round), orders, walked, times);
  return [
    { ...given(round, courier), ...first!, stage: stageOf(round, courier, first!) },
    ...later.map((trip) => ({ ...given(round, courier), ...trip, stage: 'tentative' as const })),
  ];
}

const given = ({ couriers }: DispatchRound, courier: number) => ({
  courierId: couriers[courier]!.courierId,
  unproven: false,
});

const stageOf = (round: DispatchRound, courier: number, trip: Pick<Assignment, 'stops' | 'orderIds'>) =>
  commitmentStage(trip.stops, round, round.couriers[courier]!, trip.orderIds);

/** Stop numbers: of each trip the pickup, then the drop-offs in the order of their orders. */
function tripByTrip(stops: readonly CandidateStop[]): number[] {
  const rank = ({ group, kind }: CandidateStop) => 2 * group + (kind === 'pickup' ? 0 : 1);
  const numbers = stops.map((_, index) => index + 1);
  return numbers.sort((a, b) => rank(stops[a - 1]!) - rank(stops[b - 1]!) || a - b);
}
