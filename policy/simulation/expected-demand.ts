import type { PlaceId, Seconds } from '#schemas/brands';
import type { DemandPlace, Order } from '#schemas/domain';

const HOUR = 3_600;
/** Older orders, in units of the memory, no longer count. */
const OLDEST = 4;

/**
 * Orders expected in the next hour, in thousandths, by restaurant: those placed so far, each with a weight that
 * falls by e in `memory` seconds. `placed`: in the order of their placement, none after `asOf`.
 */
export function expectedDemand(placed: readonly Order[], asOf: Seconds, memory: Seconds): DemandPlace[] {
  const expected = new Map<PlaceId, { order: Order; perHour: number }>();
  for (let i = placed.length - 1; i >= 0 && placed[i]!.placedAt >= asOf - OLDEST * memory; i -= 1) {
    const order = placed[i]!;
    const perHour = (HOUR / memory) * Math.exp((order.placedAt - asOf) / memory);
    const known = expected.get(order.pickup.placeId);
    if (known === undefined) expected.set(order.pickup.placeId, { order, perHour });
    else known.perHour += perHour;
  }
  return [...expected].map(([placeId, { order, perHour }]) => ({
    placeId,
    point: order.pickup.point,
    weight: Math.round(1_000 * perHour),
  }));
}
