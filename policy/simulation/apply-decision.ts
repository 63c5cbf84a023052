import type { CourierId } from '#schemas/brands';
import type {
  Assignment,
  Courier,
  CourierMove,
  DecisionContent,
  DispatchRound,
  Point,
} from '#schemas/domain';
import { distanceMetres, projectPoints, travelSeconds } from '../routing/index';
import type { RunStop } from './courier-run';
import type { DayState } from './day-state';
import { moveStop, runStops } from './run-stops';

/** Ride factor 1, per mille. */
const FACTOR_ONE = 1000;

/**
 * Carries a decision out. Final: the courier's plan becomes the decision's. Partial: it drives to the
 * pickup when it is free, and its orders stay open. Tentative: nothing happens.
 */
export function applyDecision(state: DayState, round: DispatchRound, decision: DecisionContent): void {
  const assignments = firstAssignments(decision);
  const moves = new Map(decision.moves.map((move) => [move.courierId, move]));
  for (const courier of round.couriers) {
    const run = state.runs.get(courier.courierId)!;
    const kept = run.remaining().filter((stop) => stop.kind !== 'move');
    const assignment = assignments.get(courier.courierId);
    const stops =
      assignment?.stage === 'final'
        ? finalStops(state, round, courier, assignment, kept)
        : movedStops(state, { round, courier, assignment, move: moves.get(courier.courierId) }, kept);
    run.follow(stops, round.asOf);
    if (assignment?.stage === 'final') give(state, round, assignment);
  }
  tell(state, decision);
  for (const { orderId, timesDeferred } of round.orders) {
    if (state.open.has(orderId)) state.deferrals.set(orderId, timesDeferred + 1);
  }
}

/** Of a chain the first trip. */
function firstAssignments({ assignments }: DecisionContent): Map<CourierId, Assignment> {
  return new Map(assignments.toReversed().map((assignment) => [assignment.courierId, assignment]));
}

/** What each courier is told of beyond what it was given. */
function tell({ told, open }: DayState, { assignments }: DecisionContent): void {
  told.clear();
  for (const { courierId, orderIds } of assignments) {
    const kept = orderIds.filter((orderId) => open.has(orderId));
    if (kept.length > 0) told.set(courierId, [...(told.get(courierId) ?? []), ...kept]);
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

interface MoveOrder {
  readonly round: DispatchRound;
  readonly courier: Courier;
  readonly assignment: Assignment | undefined;
  readonly move: CourierMove | undefined;
}

function movedStops(
  state: DayState,
  { round, courier, assignment, move }: MoveOrder,
  kept: readonly RunStop[],
): RunStop[] {
  const place = move === undefined ? undefined : state.places.get(move.placeId);
  if (move === undefined || place === undefined) return [...kept];
  const pickup = assignment?.stops.find((stop) => stop.placeId === move.placeId);
  const rideSeconds =
    pickup === undefined
      ? expectedRide(round, courier, place.point)
      : Math.max(0, pickup.arriveAt - move.departAt);
  return [...kept, moveStop(move, place, rideSeconds)];
}

/** By the round's travel rule, for travel by speed. */
function expectedRide({ space, policy: { travel } }: DispatchRound, courier: Courier, to: Point): number {
  if (travel.kind !== 'speed') return 0;
  const [a, b] = projectPoints(space, [courier.position, to]) as [Point, Point];
  const metres = distanceMetres(a.x - b.x, a.y - b.y);
  return travelSeconds(metres, travel.metresPerHour[courier.vehicle], travel.quantumSeconds, FACTOR_ONE);
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
  const { courierId } = assignment;
  state.ordersGiven.set(courierId, (state.ordersGiven.get(courierId) ?? 0) + orderIds.length);
}
