import type { Bundle, BundleRule, Growing } from './bundle-rule';
import type { PlanningView } from './planning-view';

/** A bundle is extended by those of so many orders that are ready next. */
const MAX_PARTNERS = 64;
/** Extensions tried in a round: what bounds the work. */
const MAX_TRIES = 1_000_000;
/** A restaurant may have this many bundles of one size, whatever its share of the round. */
const LEAST_BUNDLES = 64;

/** Orders that may be given to a courier: not cancelled and not held, by restaurant. */
export function openOrdersByRestaurant(view: PlanningView): Bundle[] {
  const { round, geometry } = view;
  const taken = new Set<string>(round.cancelledOrderIds);
  for (const { held } of round.couriers) for (const { orderId } of held) taken.add(orderId);
  const byPlace = new Map<number, number[]>();
  round.orders.forEach(({ orderId }, index) => {
    if (taken.has(orderId)) return;
    const place = geometry.pickupPlace[index]!;
    const orders = byPlace.get(place);
    if (orders) orders.push(index);
    else byPlace.set(place, [index]);
  });
  const earlier = (a: number, b: number) => round.orders[a]!.readyAt - round.orders[b]!.readyAt || a - b;
  return [...byPlace.values()].map((orders) => orders.sort(earlier));
}

/** A partition of the restaurant's orders: each joins the bundle that stays tightest with it. */
export function disjointBundles(rule: BundleRule, view: PlanningView, orders: Bundle): Bundle[] {
  const skillsOf = (order: number) => view.round.orders[order]!.requiredSkills.toSorted().join('\u001f');
  const bundles: { grown: Growing; readonly skills: string }[] = [];
  let open: typeof bundles = [];
  for (const order of orders) {
    const skills = skillsOf(order);
    open = open.filter(({ grown }) => grown.orders.length < rule.maxOrders && !rule.isPast(grown, order));
    let best: { bundle: (typeof bundles)[number]; grown: Growing } | undefined;
    for (const bundle of open.slice(-MAX_PARTNERS)) {
      const grown = bundle.skills === skills ? rule.extend(bundle.grown, order) : null;
      if (grown && (!best || grown.width < best.grown.width)) best = { bundle, grown };
    }
    if (best) best.bundle.grown = best.grown;
    else {
      const fresh = { grown: rule.single(order), skills };
      bundles.push(fresh);
      open.push(fresh);
    }
  }
  return bundles.map(({ grown }) => grown.orders);
}

/**
 * Every set of the restaurant's orders that the rule accepts; where there are too many for its share of the
 * round's work and of `maxBundles`, the tightest of each size.
 */
export function overlappingBundles(
  rule: BundleRule,
  orders: Bundle,
  share: number,
  maxBundles: number,
): Bundle[] {
  const rank = new Map(orders.map((order, i) => [order, i]));
  const limit = Math.max(LEAST_BUNDLES, Math.floor((share * maxBundles) / rule.maxOrders));
  let tries = Math.ceil(share * MAX_TRIES);
  let level = orders.map((order) => rule.single(order));
  const all: Bundle[] = level.map((bundle) => bundle.orders);
  for (let size = 1; size < rule.maxOrders && level.length > 0 && tries > 0; size += 1) {
    const larger: Growing[] = [];
    for (const bundle of tightest(rule, level, Math.ceil(tries / MAX_PARTNERS))) {
      const next = rank.get(bundle.orders.at(-1)!)! + 1;
      for (const order of orders.slice(next, next + MAX_PARTNERS)) {
        tries -= 1;
        if (rule.isPast(bundle, order)) break;
        const grown = rule.extend(bundle, order);
        if (grown) larger.push(grown);
      }
    }
    level = tightest(rule, larger, limit);
    for (const bundle of level) all.push(bundle.orders);
  }
  return all;
}

/** At most `limit` of the bundles, in their order. */
function tightest(rule: BundleRule, level: Growing[], limit: number): Growing[] {
  if (level.length <= limit) return level;
  const ranked = level.map((bundle, index) => ({ bundle, index, spread: rule.spread(bundle) }));
  ranked.sort((a, b) => a.spread - b.spread || a.index - b.index);
  return ranked
    .slice(0, limit)
    .sort((a, b) => a.index - b.index)
    .map(({ bundle }) => bundle);
}
