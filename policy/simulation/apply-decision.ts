import type { Assignment, Courier, CourierMove, DecisionContent, DispatchRound } from '#schemas/domain';
import type { RunStop } from './courier-run';
import type { DayState } from './day-state';
import { moveStop, runStops } from './run-stops';

/**
 * Carries a decision out. Final: the courier's plan becomes the decision's. Partial: it drives to the
 * pickup when it is free, and its orders stay open. Tentative: nothing happens.
 */
export function applyDecision(state: DayState, round: DispatchRound, decision: DecisionContent): void {
  const assignments = new Map(decision.assignments.map((assignment) => [assignment.courierId, assignment]));
  const moves = new Map(decision.moves.map((move) => [move.courierId, move]));
  for (const courier of round.couriers) {
    const run = state.runs.get(courier.courierId)!;
    const kept = run.remaining().filter((stop) => stop.kind !== 'move');
    const assignment = assignments.get(courier.courierId);
    const stops =
      assignment?.stage === 'final'
        ? finalStops(state, round, courier, assignment, kept)
        : movedStops(state, assignment, moves.get(courier.courierId), kept);
    run.follow(stops, round.asOf);
    if (assignment?.stage === 'final') give(state, round, assignment);
  }
  for (const { orderId, timesDeferred } of round.orders) {
    if (state.open.has(orderId)) state.deferrals.set(orderId, timesDeferred + 1);
  }
}

function finalStops(
  state: DayState,
  round: DispatchRound,
  courier: Courier,
  assignment: Assignment,
  kept: readonly RunStop[],
): RunStop[] {
  const orders = new Map(round.orders.map((order) => [order.orderId, order]));
  const planned = runStops(assignment, courier, orders);
  return state.day.couriersAre === 'committed' ? [...kept, ...planned] : planned;
}

function movedStops(
  state: DayState,
  assignment: Assignment | undefined,
  move: CourierMove | undefined,
  kept: readonly RunStop[],
): RunStop[] {
  const place = move === undefined ? undefined : state.places.get(move.placeId);
  if (move === undefined || place === undefined) return [...kept];
  const pickup = assignment?.stops.find((stop) => stop.placeId === move.placeId);
  const rideSeconds = pickup === undefined ? 0 : Math.max(0, pickup.arriveAt - move.departAt);
  return [...kept, moveStop(move, place, rideSeconds)];
}

function give(state: DayState, round: DispatchRound, assignment: Assignment): void {
  const drops = assignment.stops.filter((stop) => stop.kind === 'dropoff').flatMap((stop) => stop.orderIds);
  const orderIds = drops.filter((orderId) => state.open.has(orderId));
  if (orderIds.length > 0) {
    state.log.bundle({ courierId: assignment.courierId, assignedAt: round.asOf, orderIds });
  }
  for (const orderId of orderIds) {
    state.given.set(orderId, state.open.get(orderId)!);
    state.open.delete(orderId);
  }
}
