import { addChains } from './chains/add-chains';
import { chainCandidates } from './chains/chain-candidates';
import { BundleRule, type Bundle } from './bundle-rule';
import { disjointBundles, openOrdersByRestaurant, overlappingBundles } from './bundles';
import { CandidateRows, candidatesOf, type Candidate, type CandidateTable } from './candidate-table';
import { ChosenCouriers } from './chosen-couriers';
import { CourierCheck } from './courier-check';
import { rankCouriers } from './nearest-couriers';
import type { PlanningView } from './planning-view';

/** A round has at most this many candidates unless its ingest says otherwise. */
const DEFAULT_MAX_CANDIDATES = 200_000;

/** What is to be offered, and how often: the same for whoever offers a part of it. */
export interface OfferPlan {
  /** Bundles by restaurant. */
  readonly restaurants: readonly (readonly Bundle[])[];
  /** A bundle is offered to so many couriers, without those that were told of it. */
  readonly couriers: number;
  /** Orders that may be given to a courier. */
  readonly open: Bundle;
}

export function offerPlan(view: PlanningView, maxCandidates: number = DEFAULT_MAX_CANDIDATES): OfferPlan {
  const rule = new BundleRule(view);
  const { bundles: policy, couriersPerBundle } = view.round.policy;
  const open = openOrdersByRestaurant(view);
  const total = open.reduce((sum, { length }) => sum + length, 0);
  const all = open.map((orders) =>
    policy.disjoint
      ? disjointBundles(rule, view, orders)
      : overlappingBundles(rule, orders, orders.length / total, maxCandidates),
  );
  const restaurants = keepSmallest(all, maxCandidates);
  const count = restaurants.reduce((sum, bundles) => sum + bundles.length, 0);
  const couriers = Math.max(1, Math.min(couriersPerBundle, Math.floor(maxCandidates / Math.max(1, count))));
  return { restaurants, couriers, open: open.flat() };
}

/** The candidates of part `part` of `of`: parts behind one another are all of them. */
export function offersOf(view: PlanningView, plan: OfferPlan, part = 0, of = 1): CandidateTable {
  const chosen = new ChosenCouriers(view, new CourierCheck(view), plan.couriers);
  const offers = new Offers(view, chosen, tentativeBundles(view));
  const { from, to } = partOf(plan.restaurants, part, of);
  for (let at = from; at < to; at += 1) offers.addRestaurant(plan.restaurants[at]!);
  return offers.rows.table();
}

/** Ranking the couriers of a restaurant takes as long as offering so many bundles. */
const RANKING_BUNDLES = 20;

/** Restaurants behind one another of about a part of the work. */
function partOf(restaurants: OfferPlan['restaurants'], part: number, of: number) {
  const workOf = (bundles: readonly Bundle[]) => RANKING_BUNDLES + bundles.length;
  const whole = restaurants.reduce((sum, bundles) => sum + workOf(bundles), 0);
  let [from, to, work] = [0, 0, 0];
  for (const bundles of restaurants) {
    work += workOf(bundles);
    if (work * of <= whole * part) from += 1;
    if (work * of <= whole * (part + 1)) to += 1;
  }
  return { from, to };
}

/**
 * Candidates of a round, restaurant by restaurant: for every bundle the couriers that can pick it up
 * earliest, and the courier that was told of it before. Deterministic. Above `maxCandidates` the number
 * of couriers a bundle falls until the round fits, and then the largest bundles are left out. `offered`: all parts of
 * the offers in their order, where they were made before.
 */
export function candidateTable(
  view: PlanningView,
  maxCandidates: number = DEFAULT_MAX_CANDIDATES,
  plan = offerPlan(view, maxCandidates),
  offered: readonly CandidateTable[] = [offersOf(view, plan)],
): CandidateTable {
  const chains = chainCandidates(view, plan.open);
  if (offered.length === 1 && chains.length === 0) return offered[0]!;
  const rows = new CandidateRows();
  for (const table of offered) rows.append(table);
  addChains(view, rows, maxCandidates, chains);
  return rows.table();
}

/** The same as objects. */
export function generateCandidates(view: PlanningView, maxCandidates?: number): Candidate[] {
  return candidatesOf(candidateTable(view, maxCandidates));
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

/** Offers bundles to couriers, restaurant by restaurant. */
class Offers {
  readonly rows = new CandidateRows();

  constructor(
    private readonly view: PlanningView,
    private readonly chosen: ChosenCouriers,
    private readonly told: ReadonlyMap<string, readonly number[]>,
  ) {}

  addRestaurant(bundles: readonly Bundle[]): void {
    const first = bundles[0];
    if (!first) return;
    const ranking = rankCouriers(this.view, this.view.geometry.pickupPlace[first[0]!]!);
    const add = (bundle: Bundle): boolean => {
      this.chosen.choose(ranking, bundle, this.toldOf(bundle));
      this.rows.add(bundle, this.chosen.couriers, this.chosen.count);
      return this.chosen.count > 0;
    };
    for (const bundle of bundles) {
      const split = !add(bundle) && this.view.round.policy.bundles.disjoint && bundle.length > 1;
      if (split) for (const order of bundle) add([order]);
    }
  }

  private toldOf(bundle: Bundle): readonly number[] {
    return this.told.size === 0 ? nobody : (this.told.get(bundleKey(bundle)) ?? nobody);
  }
}

const nobody: readonly number[] = [];
