import type { DispatchRound } from '#schemas/domain';
import { orderIndices, roundGeometry, type RoundGeometry } from '../routing/index';

/** What the join looks up in a round again and again. */
export interface RoundIndex {
  readonly round: DispatchRound;
  readonly geometry: RoundGeometry;
  readonly orderIndex: ReadonlyMap<string, number>;
  /** 1 for orders that a courier holds. */
  readonly isHeld: Uint8Array;
  readonly isCancelled: Uint8Array;
}

export function roundIndex(round: DispatchRound): RoundIndex {
  const orderIndex = orderIndices(round);
  const flags = (ids: Iterable<string>) => {
    const bits = new Uint8Array(round.orders.length);
    for (const id of ids) {
      const index = orderIndex.get(id);
      if (index !== undefined) bits[index] = 1;
    }
    return bits;
  };
  return {
    round,
    geometry: roundGeometry(round),
    orderIndex,
    isHeld: flags(round.couriers.flatMap(({ held }) => held.map(({ orderId }) => orderId))),
    isCancelled: flags(round.cancelledOrderIds),
  };
}
