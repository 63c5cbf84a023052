import type { DispatchRound } from '#schemas/domain';
import { MAX_BUNDLE_ORDERS } from '#schemas/tensors';
import { placeDistance } from '../routing/index';
import { leastReady, type PlanningView } from './planning-view';

/** Indices into `round.orders`, of one restaurant, in order of their ready times. */
export type Bundle = readonly number[];

/** Bundles of one size that a restaurant may have; the tightest are kept. */
const MAX_BUNDLES_A_LEVEL = 4_096;
/** A second between ready times weighs like this many metres between drop-offs. */
const METRES_A_SECOND = 5;

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

/** Whether orders may travel together, and how far apart they are. Built once for a round. */
export class BundleRule {
  private readonly largestCapacity: number;
  readonly maxOrders: number;

  constructor(private readonly view: PlanningView) {
    this.largestCapacity = Math.max(0, ...view.round.couriers.map(({ capacity }) => capacity));
    this.maxOrders = Math.min(view.round.policy.bundles.maxOrders, MAX_BUNDLE_ORDERS);
  }

  /** `order` is ready no earlier than the last of `bundle`. */
  accepts(bundle: Bundle, order: number): boolean {
    const { orders, policy } = this.view.round;
    if (bundle.length >= this.maxOrders) return false;
    const ready = orders[order]!.readyAt;
    if (ready - orders[bundle[0]!]!.readyAt > policy.bundles.maxReadySpreadSeconds) return false;
    if (this.widest(bundle, order) > policy.bundles.maxDropoffSpreadMetres) return false;
    if (policy.mergePickups && this.size([...bundle, order]) > this.largestCapacity) return false;
    return policy.travel.kind === 'matrix' || this.inTime([...bundle, order]);
  }

  /** The largest distance from the drop-off of `order` to those of the bundle. */
  widest(bundle: Bundle, order: number): number {
    const { dropoffPlace } = this.view.geometry;
    let widest = 0;
    for (const other of bundle) {
      const distance = placeDistance(this.view.geometry, dropoffPlace[other]!, dropoffPlace[order]!);
      widest = Math.max(widest, distance);
    }
    return widest;
  }

  readySpread(bundle: Bundle): number {
    const { orders } = this.view.round;
    return orders[bundle.at(-1)!]!.readyAt - orders[bundle[0]!]!.readyAt;
  }

  private size(bundle: Bundle): number {
    return bundle.reduce((sum, order) => sum + this.view.round.orders[order]!.size, 0);
  }

  /** Merged orders leave together: can each still make its latest drop-off straight from there? */
  private inTime(bundle: Bundle): boolean {
    const { round, geometry, leastTravel } = this.view;
    if (!round.policy.mergePickups) return true;
    const leave = Math.max(0, ...bundle.map((order) => leastReady(round, round.orders[order]!)));
    return bundle.every((index) => {
      const { latestDropoffAt } = round.orders[index]!;
      if (latestDropoffAt === null) return true;
      const vehicle = fastestVehicle(round);
      const ride = leastTravel(geometry.pickupPlace[index]!, geometry.dropoffPlace[index]!, vehicle);
      return leave + ride <= latestDropoffAt - round.asOf;
    });
  }
}

function fastestVehicle(round: DispatchRound) {
  const { travel } = round.policy;
  if (travel.kind === 'matrix') return 'car';
  const speeds = Object.entries(travel.metresPerHour) as [keyof typeof travel.metresPerHour, number][];
  return speeds.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

/** A partition of the restaurant's orders: each joins the bundle whose drop-offs it lies nearest to. */
export function disjointBundles(rule: BundleRule, view: PlanningView, orders: Bundle): Bundle[] {
  const skills = (order: number) => [...view.round.orders[order]!.requiredSkills].sort().join('\u001f');
  const bundles: { orders: number[]; skills: string }[] = [];
  for (const order of orders) {
    const needed = skills(order);
    let best: { orders: number[]; widest: number } | undefined;
    for (const bundle of bundles) {
      if (bundle.skills !== needed || !rule.accepts(bundle.orders, order)) continue;
      const widest = rule.widest(bundle.orders, order);
      if (!best || widest < best.widest) best = { orders: bundle.orders, widest };
    }
    if (best) best.orders.push(order);
    else bundles.push({ orders: [order], skills: needed });
  }
  return bundles.map((bundle) => bundle.orders);
}

interface Tightness {
  readonly bundle: Bundle;
  /** Largest distance between its drop-offs, metres. */
  readonly width: number;
}

/** Every set of the restaurant's orders that the rule accepts, the tightest of each size. */
export function overlappingBundles(rule: BundleRule, orders: Bundle): Bundle[] {
  let level: Tightness[] = orders.map((order) => ({ bundle: [order], width: 0 }));
  const all = level.map(({ bundle }) => bundle);
  const rank = new Map(orders.map((order, i) => [order, i]));
  while (level.length > 0 && level[0]!.bundle.length < rule.maxOrders) {
    const larger = level.flatMap(({ bundle, width }) =>
      orders
        .slice(rank.get(bundle.at(-1)!)! + 1)
        .filter((order) => rule.accepts(bundle, order))
        .map((order) => ({ bundle: [...bundle, order], width: Math.max(width, rule.widest(bundle, order)) })),
    );
    level = tightest(rule, larger);
    for (const { bundle } of level) all.push(bundle);
  }
  return all;
}

function tightest(rule: BundleRule, level: Tightness[]): Tightness[] {
  if (level.length <= MAX_BUNDLES_A_LEVEL) return level;
  const spread = ({ bundle, width }: Tightness) => width + METRES_A_SECOND * rule.readySpread(bundle);
  const ranked = level.map((entry, index) => ({ entry, index, spread: spread(entry) }));
  ranked.sort((a, b) => a.spread - b.spread || a.index - b.index);
  return ranked
    .slice(0, MAX_BUNDLES_A_LEVEL)
    .sort((a, b) => a.index - b.index)
    .map(({ entry }) => entry);
}
