import type { PlaceId, Seconds } from '#schemas/brands';
import type { DemandPlace, Order, Point } from '#schemas/domain';

const HOUR = 3_600;
/** Older orders, in units of the memory, no longer count. */
const OLDEST = 4;

/** How a day expects orders. */
export interface DemandModel {
  /** An order's weight falls by e in so many seconds. */
  readonly memorySeconds: Seconds;
  /** Restaurants known before the day, and the orders an hour that each is expected to have at least. */
  readonly restaurants: readonly { readonly placeId: PlaceId; readonly point: Point }[];
  readonly leastPerHour: number;
}

/**
 * Orders expected in the next hour, in thousandths, by restaurant: what every restaurant has at least, and those
 * placed so far, the older the less. `placed`: in the order of their placement, none after `asOf`.
 */
export function expectedDemand(
  placed: readonly Order[],
  asOf: Seconds,
  { memorySeconds, restaurants, leastPerHour }: DemandModel,
): DemandPlace[] {
  const expected = new Map<PlaceId, { point: Point; perHour: number }>();
  for (const { placeId, point } of restaurants) expected.set(placeId, { point, perHour: leastPerHour });
  for (let i = placed.length - 1; i >= 0; i -= 1) {
    const { placedAt, pickup } = placed[i]!;
    if (placedAt < asOf - OLDEST * memorySeconds) break;
    const perHour = (HOUR / memorySeconds) * Math.exp((placedAt - asOf) / memorySeconds);
    const known = expected.get(pickup.placeId);
    if (known === undefined) expected.set(pickup.placeId, { point: pickup.point, perHour });
    else known.perHour += perHour;
  }
  return [...expected].map(([placeId, { point, perHour }]) => ({
    placeId,
    point,
    weight: Math.round(1_000 * perHour),
  }));
}
