import type { Courier, DispatchRound, Order } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import {
  orderIndices,
  roundGeometry,
  startOfCourier,
  statedOrderTimes,
  stopsOfCandidate,
  travelTime,
  walkPlan,
  type RoundGeometry,
  type TravelMatrix,
  type TravelTime,
} from '../routing/index';

/** A predicted ride factor is taken to be at least this, per mille, when candidates are ruled out. */
const LEAST_RIDE_FACTOR = 500;

/** A round as candidate generation sees it; all times are seconds relative to asOf. */
export interface PlanningView {
  readonly round: DispatchRound;
  readonly geometry: RoundGeometry;
  readonly indexOf: ReadonlyMap<string, number>;
  /** Expected travel, to rank by. */
  readonly travel: TravelTime;
  /** Travel that no prediction undercuts, to rule out by. */
  readonly leastTravel: TravelTime;
  /** Couriers whose vehicle has a place in the round's travel model. */
  readonly drives: readonly boolean[];
  /** When and at which place each courier can start to drive to a new pickup. */
  readonly free: readonly { readonly at: number; readonly place: number }[];
}

export function planningView(round: DispatchRound, matrix?: TravelMatrix): PlanningView {
  const geometry = roundGeometry(round);
  const indexOf = orderIndices(round);
  const travel = travelTime(round, geometry, undefined, matrix);
  const least = round.policy.travel.known ? undefined : vehicles.map(() => LEAST_RIDE_FACTOR);
  const leastTravel = travelTime(round, geometry, least, matrix);
  const drives = round.couriers.map((courier) => mayDrive(round, courier, matrix));
  const view = { round, geometry, indexOf, travel, drives };
  const free = round.couriers.map((_, courier) => freeFrom(view, courier));
  // No spread: see `ofOneShape` of the assignment.
  return { round, geometry, indexOf, travel, drives, leastTravel, free };
}

/** The view of a round that differs in what no view depends on: its sequence, its label. */
export function withRound(round: DispatchRound, view: PlanningView): PlanningView {
  const { geometry, indexOf, travel, drives, leastTravel, free } = view;
  return { round, geometry, indexOf, travel, drives, leastTravel, free };
}

/** Without interleaving a courier is free behind its held stops, here taken in the order of their numbers. */
function freeFrom(view: Omit<PlanningView, 'leastTravel' | 'free'>, courier: number) {
  const { round, geometry, indexOf, travel } = view;
  const here = { at: startOfCourier(round, courier), place: geometry.courierPlace[courier]! };
  const waits = !round.policy.interleave && view.drives[courier] && round.couriers[courier]!.held.length > 0;
  if (!waits) return here;
  const stops = stopsOfCandidate(round, geometry, indexOf, courier, []);
  const sequence = stops.map((_, i) => i + 1);
  const walked = walkPlan({
    round,
    geometry,
    travel,
    times: statedOrderTimes(round),
    courier,
    stops,
    sequence,
  });
  return { at: walked.stops.at(-1)!.departAt - round.asOf, place: stops.at(-1)!.place };
}

/** The earliest a pickup of this order can happen, whatever is predicted. */
export function leastReady(round: DispatchRound, order: Order): number {
  return (order.known.ready ? order.readyAt : Math.min(order.readyAt, order.placedAt)) - round.asOf;
}

/** Has the round's travel model anything for this courier's vehicle? */
function mayDrive(round: DispatchRound, { vehicle }: Courier, matrix?: TravelMatrix): boolean {
  const { travel } = round.policy;
  if (travel.kind === 'speed') return travel.metresPerHour[vehicle] > 0;
  return matrix?.secondsByVehicle[vehicles.indexOf(vehicle)] !== undefined;
}
