import { BundleRule, type Bundle } from './bundle-rule';
import { disjointBundles, openOrdersByRestaurant, overlappingBundles } from './bundles';
import { canMakeIt } from './can-make-it';
import { earliestCouriers, rankCouriers, type Ranking } from './nearest-couriers';
import type { PlanningView } from './planning-view';

/** One courier with one bundle, worth costing. */
export interface Candidate {
  readonly courier: number;
  readonly bundle: Bundle;
}

/** A round has at most this many candidates unless its ingest says otherwise. */
const DEFAULT_MAX_CANDIDATES = 200_000;

/**
 * Candidates of a round, restaurant by restaurant: for every bundle the couriers that can pick it up
 * earliest, and the courier that was told of it before. Deterministic. Above `maxCandidates` the number
 * of couriers a bundle falls until the round fits, and then the largest bundles are left out.
 */
export function generateCandidates(
  view: PlanningView,
  maxCandidates: number = DEFAULT_MAX_CANDIDATES,
): Candidate[] {
  const rule = new BundleRule(view);
  const { bundles: policy, couriersPerBundle } = view.round.policy;
  const open = openOrdersByRestaurant(view);
  const total = open.reduce((sum, { length }) => sum + length, 0);
  const restaurants = open.map((orders) =>
    policy.disjoint
      ? disjointBundles(rule, view, orders)
      : overlappingBundles(rule, orders, orders.length / total, maxCandidates),
  );
  const told = tentativeBundles(view);
  const kept = keepSmallest(restaurants, maxCandidates);
  const count = kept.reduce((sum, bundles) => sum + bundles.length, 0);
  const couriers = Math.max(1, Math.min(couriersPerBundle, Math.floor(maxCandidates / Math.max(1, count))));
  return kept.flatMap((bundles) => restaurantCandidates(view, bundles, couriers, told));
}

/** Leaves out whole sizes, the largest first, until there are at most `limit` bundles. */
function keepSmallest(restaurants: readonly Bundle[][], limit: number): readonly Bundle[][] {
  const total = restaurants.reduce((sum, bundles) => sum + bundles.length, 0);
  const largest = restaurants.flat().reduce((size, { length }) => Math.max(size, length), 1);
  if (total <= limit || largest === 1) return restaurants;
  return keepSmallest(
    restaurants.map((bundles) => bundles.filter(({ length }) => length < largest)),
    limit,
  );
}

const bundleKey = (bundle: Bundle) => bundle.toSorted((a, b) => a - b).join(' ');

/** Couriers by the bundle they were told of earlier. */
function tentativeBundles({ round, indexOf }: PlanningView): Map<string, number[]> {
  const told = new Map<string, number[]>();
  round.couriers.forEach(({ tentativeOrderIds }, courier) => {
    const orders = tentativeOrderIds.flatMap((id) => indexOf.get(id) ?? []);
    if (orders.length === 0) return;
    const key = bundleKey(orders);
    told.set(key, [...(told.get(key) ?? []), courier]);
  });
  return told;
}

function restaurantCandidates(
  view: PlanningView,
  bundles: readonly Bundle[],
  couriers: number,
  told: ReadonlyMap<string, readonly number[]>,
): Candidate[] {
  const first = bundles[0];
  if (!first) return [];
  const ranking = rankCouriers(view, view.geometry.pickupPlace[first[0]!]!);
  const candidatesOf = (bundle: Bundle) =>
    couriersOf(view, ranking, bundle, couriers, told.get(bundleKey(bundle)) ?? []).map((courier) => ({
      courier,
      bundle,
    }));
  return bundles.flatMap((bundle) => {
    const candidates = candidatesOf(bundle);
    const split = candidates.length === 0 && view.round.policy.bundles.disjoint && bundle.length > 1;
    return split ? bundle.flatMap((order) => candidatesOf([order])) : candidates;
  });
}

/** The earliest couriers that can make it, with those told before, by courier index. */
function couriersOf(
  view: PlanningView,
  ranking: Ranking,
  bundle: Bundle,
  count: number,
  told: readonly number[],
): number[] {
  const { orders, asOf } = view.round;
  const ready = Math.max(...bundle.map((order) => orders[order]!.readyAt)) - asOf;
  const walkIn = Math.max(...bundle.map((order) => orders[order]!.pickup.preServiceSeconds));
  const chosen = new Set<number>();
  for (const courier of earliestCouriers(ranking, ready - walkIn)) {
    if (chosen.size >= count) break;
    if (canMakeIt(view, courier, bundle)) chosen.add(courier);
  }
  for (const courier of told) {
    if (ranking.couriers.includes(courier) && canMakeIt(view, courier, bundle)) chosen.add(courier);
  }
  return [...chosen].sort((a, b) => a - b);
}
