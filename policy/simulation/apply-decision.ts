import type { CourierId } from '#schemas/brands';
import type {
  Assignment,
  Courier,
  CourierMove,
  DecisionContent,
  DispatchRound,
  Order,
  Point,
} from '#schemas/domain';
import { distanceMetres, projectPoints, travelSeconds } from '../routing/index';
import type { RunStop } from './courier-run';
import { give, type DayState } from './day-state';
import { moveStop, runStops } from './run-stops';

/** Ride factor 1, per mille. */
const FACTOR_ONE = 1000;

/**
 * Carries a decision out. Final: the courier's plan becomes the decision's. Partial: it drives to the
 * pickup when it is free, and its orders stay open. Tentative: nothing happens. On a day with late changes the
 * courier is bound by its pickup only: until then the next decision may change what it takes.
 */
export function applyDecision(state: DayState, round: DispatchRound, decision: DecisionContent): void {
  const assignments = firstAssignments(decision);
  const moves = new Map(decision.moves.map((move) => [move.courierId, move]));
  for (const run of state.runs.values()) run.keepBound();
  for (const courier of round.couriers) {
    const run = state.runs.get(courier.courierId)!;
    const kept = run.remaining().filter((stop) => stop.kind !== 'move');
    const assignment = assignments.get(courier.courierId);
    const isOpen = assignment !== undefined && staysOpen(state, round, courier, assignment);
    const isFinal = assignment?.stage === 'final' && !isOpen;
    const stops = isOpen
      ? openStops(round, courier, assignment, kept)
      : isFinal
        ? finalStops(state, round, courier, assignment, kept)
        : movedStops(state, { round, courier, assignment, move: moves.get(courier.courierId) }, kept);
    run.follow(stops, round.asOf);
    if (isFinal) give(state, courier.courierId, dropped(round, assignment), round.asOf);
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

/** The assigned orders in the order of their drop-offs. */
function dropped({ orders }: DispatchRound, { stops }: Assignment): Order[] {
  const known = new Map(orders.map((order) => [order.orderId, order]));
  return stops
    .filter(({ kind }) => kind === 'dropoff')
    .flatMap(({ orderIds }) => orderIds.map((id) => known.get(id)!));
}

/** It can set out before the next round, and a meal of its isn't ready yet. */
function staysOpen(
  { day, open }: DayState,
  { asOf }: DispatchRound,
  { availableAt }: Courier,
  { stage, orderIds }: Assignment,
): boolean {
  if (!day.lateChanges || day.couriersAre !== 'committed' || stage === 'tentative') return false;
  if (availableAt >= asOf + day.roundSeconds) return false;
  return stage === 'partial' || orderIds.some((orderId) => day.truth.readyAt(open.get(orderId)!) > asOf);
}

/** The drive there, then the pickup once it can be. */
function openStops(
  round: DispatchRound,
  courier: Courier,
  assignment: Assignment,
  kept: readonly RunStop[],
): RunStop[] {
  const orders = new Map(round.orders.map((order) => [order.orderId, order]));
  const [pickup, ...drops] = runStops(assignment, courier, orders) as [RunStop, ...RunStop[]];
  const { rideSeconds, postSeconds } = pickup.expected;
  const drive = { rideSeconds, notBefore: -Infinity, postSeconds: 0 };
  const there = { rideSeconds: 0, notBefore: -Infinity, postSeconds };
  return [
    ...kept,
    { kind: 'move', orders: [], place: pickup.place, preSeconds: 0, expected: drive },
    { ...pickup, open: true, expected: there },
    ...drops,
  ];
}
