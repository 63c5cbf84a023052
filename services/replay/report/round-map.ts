import type { DecisionContent, DispatchRound, Point } from '#schemas/domain';
import type { JoinedRound } from './joined-rounds';

export type XY = readonly [number, number];

export interface NamedPlace {
  readonly name: string;
  readonly at: XY;
}
export interface NamedWay {
  readonly name: string;
  readonly way: readonly XY[];
}

export interface SideMap {
  readonly plans: readonly NamedWay[];
  /** Couriers that are sent somewhere without orders. */
  readonly moves: readonly NamedWay[];
  readonly leftOut: readonly NamedPlace[];
}

/** What there is to draw of a round, in the round's own coordinates. */
export interface RoundMap {
  readonly name: string;
  readonly isGeographic: boolean;
  readonly couriers: readonly NamedPlace[];
  readonly pickups: readonly NamedPlace[];
  readonly dropoffs: readonly NamedPlace[];
  /** Of A and B; null where it has no decision. */
  readonly sides: readonly (SideMap | null)[];
}

const xy = ({ x, y }: Point): XY => [x, y];

function sideMap(round: DispatchRound, content: DecisionContent): SideMap {
  const orders = new Map(round.orders.map((order) => [order.orderId, order]));
  const couriers = new Map(round.couriers.map((courier) => [courier.courierId, courier]));
  const places = new Map<string, Point>((round.demand ?? []).map(({ placeId, point }) => [placeId, point]));
  for (const { pickup } of round.orders) places.set(pickup.placeId, pickup.point);
  const way = (name: string, courierId: string, points: readonly (Point | undefined)[]): NamedWay => {
    const all = [couriers.get(courierId as never)?.position, ...points];
    return { name, way: all.flatMap((point) => (point === undefined ? [] : [xy(point)])) };
  };
  return {
    plans: content.assignments.map(({ courierId, orderIds, stops, stage, cost }) => {
      const points = stops.map(({ kind, orderIds: [first] }) => orders.get(first!)?.[kind].point);
      const what = orderIds.length === 0 ? 'held orders only' : orderIds.join(', ');
      return way(`${courierId}: ${what} (${stage}, cost ${cost})`, courierId, points);
    }),
    moves: content.moves.map(({ courierId, placeId }) =>
      way(`${courierId} is sent to ${placeId}`, courierId, [places.get(placeId)]),
    ),
    leftOut: content.unassigned.flatMap(({ orderId, reason }) => {
      const order = orders.get(orderId);
      return order === undefined ? [] : [{ name: `${orderId}: ${reason}`, at: xy(order.pickup.point) }];
    }),
  };
}

export function roundMap({ a, b, known }: JoinedRound): RoundMap | null {
  if (known === null) return null;
  const { round } = known;
  const of = (side: JoinedRound['a']) =>
    side === null || side.content === null ? null : sideMap(round, side.content);
  return {
    name: `${round.roundId} of ${round.zoneId}`,
    isGeographic: round.space === 'wgs84',
    couriers: round.couriers.map(({ courierId, position }) => ({ name: courierId, at: xy(position) })),
    pickups: round.orders.map(({ orderId, pickup }) => ({
      name: `pickup of ${orderId}`,
      at: xy(pickup.point),
    })),
    dropoffs: round.orders.map(({ orderId, dropoff }) => ({
      ...{ name: `drop-off of ${orderId}`, at: xy(dropoff.point) },
    })),
    sides: [of(a), of(b)],
  };
}
