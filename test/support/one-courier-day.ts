import type { CourierId, OrderId, PlaceId, RunId, Seconds, TenantId, UnixMs, ZoneId } from '#schemas/brands';
import type {
  Assignment,
  CommitmentStage,
  DecisionContent,
  DispatchRound,
  PlannedStop,
} from '#schemas/domain';
import type { Day, DayCourier, Dispatch, Truth } from '#policy/simulation/day';
import { simulateDay } from '#policy/simulation/simulate-day';
import { buildOrder, buildPolicy, buildStop } from './build-round';

export const seconds = (value: number) => value as Seconds;
export const minute = (value: number) => seconds(60 * value);

/** One restaurant at 0, homes along a road, 1 m/s: a metre is a second. Service 2 min before and after. */
const half = { preServiceSeconds: seconds(120), postServiceSeconds: seconds(120) };
export const order = (id: string, placed: number, ready: number, home: number) =>
  buildOrder(id, {
    placedAt: minute(placed),
    readyAt: minute(ready),
    pickup: buildStop('R', 0, 0, half),
    dropoff: buildStop(`home-${id}`, home, 0, half),
  });
export const courier: DayCourier = {
  courierId: 'c' as CourierId,
  start: { placeId: 'c' as PlaceId, point: { x: 300, y: 0 } },
  onAt: seconds(0),
  offAt: minute(120),
  vehicle: 'walk',
  capacity: 4,
  skills: [],
};
export const truth: Truth = {
  readyAt: (o) => o.readyAt,
  pickupPostSeconds: (o) => o.pickup.postServiceSeconds,
  dropoffPostSeconds: (o) => o.dropoff.postServiceSeconds,
  travelSeconds: (_vehicle, from, to) => seconds(Math.abs(from.x - to.x)),
};
function day(changes: Partial<Day>): Day {
  return {
    name: 'test',
    tenantId: 't' as TenantId,
    zoneId: 'z' as ZoneId,
    space: 'planar',
    startsAt: seconds(0),
    roundSeconds: minute(5),
    couriers: [courier],
    orders: [],
    truth,
    couriersAre: 'committed',
    shiftLookaheadSeconds: seconds(0),
    offerHorizonSeconds: null,
    maxRoundsAfterLastOrder: 6,
    policyAt: () => buildPolicy(),
    ...changes,
  };
}

/** A decision for the one courier: these stops from where and when it is free, or nothing. */
export function decide(round: DispatchRound, ids: string[], stage: CommitmentStage): DecisionContent {
  const [free] = round.couriers;
  if (free === undefined || ids.length === 0)
    return { assignments: [], moves: [] } as unknown as DecisionContent;
  let at = free.position.x;
  let time: number = free.availableAt;
  const orders = ids.map((id) => round.orders.find((o) => o.orderId === id)!);
  const visit = (kind: 'pickup' | 'dropoff', orderIds: string[], x: number, ready: number): PlannedStop => {
    const arriveAt = seconds(time + Math.abs(at - x));
    const servedAt = seconds(Math.max(arriveAt + 120, ready));
    at = x;
    time = servedAt + 120;
    const placeId = (kind === 'pickup' ? 'R' : `home-${orderIds[0]}`) as PlaceId;
    return { kind, orderIds: orderIds as OrderId[], placeId, arriveAt, servedAt, departAt: seconds(time) };
  };
  const stops = [visit('pickup', ids, 0, Math.max(...orders.map((o) => o.readyAt)))];
  for (const o of orders) stops.push(visit('dropoff', [o.orderId], o.dropoff.point.x, 0));
  const { courierId } = free;
  const assignment: Assignment = {
    courierId,
    orderIds: ids as OrderId[],
    stops,
    cost: 0n,
    unproven: false,
    stage,
  };
  const moves =
    stage === 'partial' ? [{ courierId, placeId: 'R' as PlaceId, departAt: free.availableAt }] : [];
  return { assignments: [assignment], moves } as unknown as DecisionContent;
}

export async function runDay(changes: Partial<Day>, dispatch: (round: DispatchRound) => DecisionContent) {
  const rounds: DispatchRound[] = [];
  const told: string[][] = [];
  const asked: Dispatch = (round) => {
    rounds.push(round);
    return Promise.resolve(dispatch(round));
  };
  const result = await simulateDay({
    day: day(changes),
    runId: 'r' as RunId,
    dispatch: asked,
    deadlineAt: () => 1 as UnixMs,
    onEvents: (events) => {
      told.push(events.map(({ kind, orderId, at }) => `${at} ${kind} ${orderId}`));
      return Promise.resolve();
    },
  });
  return { rounds, result, told };
}
export const ids = (round: DispatchRound) => round.orders.map((o) => o.orderId);
