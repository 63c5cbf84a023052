import type { DispatchRound } from '#schemas/domain';

/** Some 50 ms of cutting, which other requests may wait for. */
const MAX_CANDIDATES = 15_000;
const MAX_ORDERS = 1_000;
const MAX_RANKED = 200_000;
/** Among whose chains a search of about as long goes. */
const MAX_CHAINED_ORDERS = 60;
/** Where ready times aren't known each chain is costed a dozen times. */
const MAX_UNCERTAIN_CHAINED_ORDERS = 20;

/**
 * Whether a round could take long to cut: by the most candidates that its restaurants could have (every
 * pair of orders; with more than two in a bundle there is no useful bound), and the couriers to be ranked.
 */
export function isLarge({ orders, couriers, policy }: DispatchRound): boolean {
  const byRestaurant = new Map<string, number>();
  for (const { pickup } of orders) {
    byRestaurant.set(pickup.placeId, (byRestaurant.get(pickup.placeId) ?? 0) + 1);
  }
  const { maxOrders, disjoint } = policy.bundles;
  let bundles = 0;
  for (const count of byRestaurant.values()) {
    if (disjoint || maxOrders === 1) bundles += count;
    else bundles += maxOrders === 2 ? (count * (count + 1)) / 2 : 2 ** Math.min(count, 30);
  }
  const candidates = bundles * Math.min(policy.couriersPerBundle, couriers.length);
  const ranked = byRestaurant.size * couriers.length;
  if (policy.chains !== undefined && orders.length > mostChained(orders)) return true;
  return orders.length > MAX_ORDERS || candidates > MAX_CANDIDATES || ranked > MAX_RANKED;
}

function mostChained(orders: DispatchRound['orders']): number {
  return orders.every(({ known }) => known.ready) ? MAX_CHAINED_ORDERS : MAX_UNCERTAIN_CHAINED_ORDERS;
}
