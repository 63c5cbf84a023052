import type { DispatchRound } from '#schemas/domain';
import type { RoundGeometry } from './round-geometry';

/** A stop of a candidate before it is ordered; its stop number is its position in the list plus 1. */
export interface CandidateStop {
  readonly kind: 'pickup' | 'dropoff';
  /** Indices into `round.orders`; several at a merged pickup. */
  readonly orders: readonly number[];
  /** Place of the round's geometry. */
  readonly place: number;
  /**
   * 0: held; 1: the bundle, of a chain its first trip; 2 and on: further trips. Unless the round interleaves, a
   * group is done before the next begins.
   */
  readonly group: number;
}

interface PlannedOrder {
  readonly order: number;
  readonly onBoard: boolean;
  readonly group: number;
}

const HELD = 0;

/** Index of each order id in the round. */
export function orderIndices(round: DispatchRound): ReadonlyMap<string, number> {
  return new Map(round.orders.map(({ orderId }, index) => [orderId, index]));
}

/** In a round of chains an order begins another trip where its pickup is another place's than that of the order before it. */
export function beginsTrip(
  { policy }: DispatchRound,
  { pickupPlace }: RoundGeometry,
  bundle: readonly number[],
  at: number,
): boolean {
  if (policy.chains === undefined || at === 0) return false;
  return pickupPlace[bundle[at]!] !== pickupPlace[bundle[at - 1]!];
}

function plannedOrders(
  round: DispatchRound,
  geometry: RoundGeometry,
  indexOf: ReadonlyMap<string, number>,
  { courier, bundle }: { readonly courier: number; readonly bundle: readonly number[] },
): PlannedOrder[] {
  const held = round.couriers[courier]!.held.map(({ orderId, onBoard }) => ({
    order: indexOf.get(orderId)!,
    onBoard,
    group: HELD,
  }));
  let group = HELD + 1;
  const fresh = bundle.map((order, at) => {
    if (beginsTrip(round, geometry, bundle, at)) group += 1;
    return { order, onBoard: false, group };
  });
  return [...held, ...fresh];
}

/**
 * Numbers the stops of courier `courier` (index) with the orders `bundle` (indices) by the rule in
 * tensors.ts: held orders first, then the bundle; each order's pickup unless on board or merged into an
 * earlier one, then its drop-off.
 */
export function stopsOfCandidate(
  round: DispatchRound,
  geometry: RoundGeometry,
  indexOf: ReadonlyMap<string, number>,
  courier: number,
  bundle: readonly number[],
): CandidateStop[] {
  const { interleave, mergePickups } = round.policy;
  const stops: (CandidateStop & { orders: number[] })[] = [];
  const openedAt = (place: number, group: number) =>
    stops.find(
      (stop) => stop.kind === 'pickup' && stop.place === place && (interleave || stop.group === group),
    );
  for (const { order, onBoard, group } of plannedOrders(round, geometry, indexOf, { courier, bundle })) {
    const place = geometry.pickupPlace[order]!;
    const joined = mergePickups && !onBoard ? openedAt(place, group) : undefined;
    if (joined) joined.orders.push(order);
    else if (!onBoard) stops.push({ kind: 'pickup', orders: [order], place, group });
    stops.push({ kind: 'dropoff', orders: [order], place: geometry.dropoffPlace[order]!, group });
  }
  return stops;
}
