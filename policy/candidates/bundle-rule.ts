import { MAX_BUNDLE_ORDERS } from '#schemas/tensors';
import type { Vehicle } from '#schemas/domain';
import { placeDistance } from '../routing/index';
import { leastReady, type PlanningView } from './planning-view';

/** Indices into `round.orders`, of one restaurant, in order of their ready times. */
export type Bundle = readonly number[];

/** A bundle with what the rule needs to know to extend it. */
export interface Growing {
  readonly orders: Bundle;
  /** Largest distance between its drop-offs, metres. */
  readonly width: number;
  readonly size: number;
}

/** A second between ready times weighs like this many metres between drop-offs. */
const METRES_A_SECOND = 5;

/** Whether orders of one restaurant may travel together. Built once for a round. */
export class BundleRule {
  readonly maxOrders: number;
  private readonly largestCapacity: number;
  private readonly fastest: Vehicle;
  private readonly hasLatest: boolean;

  constructor(private readonly view: PlanningView) {
    const { round } = view;
    this.maxOrders = Math.min(round.policy.bundles.maxOrders, MAX_BUNDLE_ORDERS);
    this.largestCapacity = round.couriers.reduce((most, { capacity }) => Math.max(most, capacity), 0);
    this.hasLatest = round.orders.some(({ latestDropoffAt }) => latestDropoffAt !== null);
    this.fastest = fastestVehicle(view);
  }

  single(order: number): Growing {
    return { orders: [order], width: 0, size: this.view.round.orders[order]!.size };
  }

  /** Later orders are no longer ready within the spread: the bundle can't grow any more. */
  isPast(bundle: Growing, order: number): boolean {
    const { orders, policy } = this.view.round;
    const spread = orders[order]!.readyAt - orders[bundle.orders[0]!]!.readyAt;
    return spread > policy.bundles.maxReadySpreadSeconds;
  }

  /** The bundle with `order`, which is ready no earlier than its last one; null where the rule forbids it. */
  extend(bundle: Growing, order: number): Growing | null {
    const { orders, policy } = this.view.round;
    if (bundle.orders.length >= this.maxOrders || this.isPast(bundle, order)) return null;
    const size = bundle.size + orders[order]!.size;
    if (policy.mergePickups && size > this.largestCapacity) return null;
    const width = this.widthWith(bundle, order);
    if (width > policy.bundles.maxDropoffSpreadMetres) return null;
    const extended = { orders: [...bundle.orders, order], width, size };
    return this.inTime(extended.orders) ? extended : null;
  }

  /** How far apart its orders are, in metres. */
  spread({ orders, width }: Growing): number {
    const readyAt = (order: number) => this.view.round.orders[order]!.readyAt;
    return width + METRES_A_SECOND * (readyAt(orders.at(-1)!) - readyAt(orders[0]!));
  }

  private widthWith({ orders, width }: Growing, order: number): number {
    const { geometry } = this.view;
    const to = geometry.dropoffPlace[order]!;
    let widest = width;
    for (const other of orders) {
      widest = Math.max(widest, placeDistance(geometry, geometry.dropoffPlace[other]!, to));
    }
    return widest;
  }

  /** Merged orders leave together: can each still make its latest drop-off straight from there? */
  private inTime(bundle: Bundle): boolean {
    const { round, geometry, leastTravel } = this.view;
    const bounded = this.hasLatest && round.policy.mergePickups && round.policy.travel.kind === 'speed';
    if (!bounded) return true;
    const leave = Math.max(0, ...bundle.map((order) => leastReady(round, round.orders[order]!)));
    return bundle.every((index) => {
      const { latestDropoffAt } = round.orders[index]!;
      if (latestDropoffAt === null) return true;
      const ride = leastTravel(geometry.pickupPlace[index]!, geometry.dropoffPlace[index]!, this.fastest);
      return leave + ride <= latestDropoffAt - round.asOf;
    });
  }
}

function fastestVehicle({ round }: PlanningView): Vehicle {
  const { travel } = round.policy;
  if (travel.kind === 'matrix') return 'car';
  const speeds = Object.entries(travel.metresPerHour) as [Vehicle, number][];
  return speeds.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}
