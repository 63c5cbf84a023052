import type { DispatchRound, Vehicle } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import { MAX_PLAN_ORDERS, MAX_STOPS } from '#schemas/tensors';
import { statedOrderTimes } from '../../routing/index';
import type { PlanningView } from '../planning-view';
import { readyScenarios, type ReadyScenarios } from './ready-scenarios';

/** Travel between so many places is kept in a table. */
const MOST_TABLED_PLACES = 1_500;

/** What the search for chains reads of a round, as columns; times are seconds relative to asOf. */
export interface ChainProblem {
  readonly round: DispatchRound;
  readonly courierCount: number;
  readonly orderCount: number;
  /** Where and when a courier can set out. */
  readonly startPlace: Int32Array;
  readonly startAt: Float64Array;
  readonly shiftEndsAt: Float64Array;
  readonly capacity: Float64Array;
  readonly vehicle: Uint8Array;
  /** New orders that its plan has room for. */
  readonly room: Uint8Array;
  readonly coveredOrders: Float64Array;
  readonly pickupPlace: Int32Array;
  readonly dropoffPlace: Int32Array;
  /** As stated. */
  readonly readyAt: Float64Array;
  /** As they may turn out, where one isn't known. */
  readonly scenarios: ReadyScenarios | null;
  readonly promisedAt: Float64Array;
  readonly latestDropoffAt: Float64Array;
  readonly size: Float64Array;
  readonly pickupPre: Float64Array;
  readonly pickupPost: Float64Array;
  readonly dropoffPre: Float64Array;
  readonly dropoffPost: Float64Array;
  /** What leaving an order out costs. */
  readonly penalty: Float64Array;
  travel(vehicle: number, from: number, to: number): number;
}

export function chainProblem(view: PlanningView): ChainProblem {
  const { round, geometry, free } = view;
  const { couriers } = round;
  const ofCouriers = (value: (index: number) => number) => Float64Array.from(couriers, (_, i) => value(i));
  return {
    round,
    courierCount: couriers.length,
    orderCount: round.orders.length,
    startPlace: Int32Array.from(free, ({ place }) => place),
    startAt: Float64Array.from(free, ({ at }) => at),
    shiftEndsAt: ofCouriers((i) => couriers[i]!.shiftEndsAt - round.asOf),
    capacity: ofCouriers((i) => couriers[i]!.capacity),
    vehicle: Uint8Array.from(couriers, ({ vehicle }) => vehicles.indexOf(vehicle)),
    room: Uint8Array.from(couriers, ({ held }) => roomBeside(held.length)),
    coveredOrders: ofCouriers((i) => couriers[i]!.coveredOrders ?? Infinity),
    pickupPlace: geometry.pickupPlace,
    dropoffPlace: geometry.dropoffPlace,
    ...orderColumns(round),
    scenarios: readyScenarios(round),
    travel: travelOf(view),
  };
}

/** Orders and, were each a trip of its own, stops. */
function roomBeside(held: number): number {
  return Math.max(0, Math.min(MAX_PLAN_ORDERS - held, (MAX_STOPS - 2 * held) >> 1));
}

function orderColumns(round: DispatchRound) {
  const { orders, asOf, policy } = round;
  const times = statedOrderTimes(round);
  const column = (value: (index: number) => number) => Float64Array.from(orders, (_, i) => value(i));
  const { base, perDeferral } = policy.unassignedPenalty;
  return {
    readyAt: column((i) => times.get(i)!.readyAt),
    promisedAt: column((i) => orders[i]!.promisedAt - asOf),
    latestDropoffAt: column((i) => (orders[i]!.latestDropoffAt ?? Infinity) - asOf),
    size: column((i) => orders[i]!.size),
    pickupPre: column((i) => orders[i]!.pickup.preServiceSeconds),
    pickupPost: column((i) => times.get(i)!.pickupPostService),
    dropoffPre: column((i) => orders[i]!.dropoff.preServiceSeconds),
    dropoffPost: column((i) => times.get(i)!.dropoffPostService),
    penalty: column((i) => base + perDeferral * orders[i]!.timesDeferred),
  };
}

function travelOf({ geometry, travel }: PlanningView): ChainProblem['travel'] {
  const places = geometry.x.length;
  const seconds = (vehicle: number, from: number, to: number) =>
    travel(from, to, vehicles[vehicle] as Vehicle);
  if (places > MOST_TABLED_PLACES) return seconds;
  const tables: (Float64Array | undefined)[] = vehicles.map(() => undefined);
  return (vehicle, from, to) => {
    const table = (tables[vehicle] ??= new Float64Array(places * places).fill(-1));
    const at = from * places + to;
    if (table[at]! < 0) table[at] = seconds(vehicle, from, to);
    return table[at]!;
  };
}
