import { placeDistance } from '../../routing/index';
import type { PlanningView } from '../planning-view';

/** How many of an order's relations are known. */
const MOST = 24;
/** A metre between drop-offs, and a second between ready times, against a metre between restaurants. */
const DROPOFF_WEIGHT = 0.3;
const READY_WEIGHT = 2.5;

/** For each open order those that are most like it, the most alike first; found when first asked for. */
export class RelatedOrders {
  private readonly lists = new Map<number, Int32Array>();

  constructor(
    private readonly view: PlanningView,
    private readonly open: readonly number[],
  ) {}

  of(order: number): Int32Array {
    const known = this.lists.get(order);
    if (known !== undefined) return known;
    const list = this.nearest(order);
    this.lists.set(order, list);
    return list;
  }

  private nearest(order: number): Int32Array {
    const others = this.open.filter((other) => other !== order);
    const distance = new Map(others.map((other) => [other, this.distance(order, other)]));
    others.sort((a, b) => distance.get(a)! - distance.get(b)! || a - b);
    return Int32Array.from(others.slice(0, MOST));
  }

  private distance(a: number, b: number): number {
    const { geometry, round } = this.view;
    const { pickupPlace, dropoffPlace } = geometry;
    return (
      placeDistance(geometry, pickupPlace[a]!, pickupPlace[b]!) +
      DROPOFF_WEIGHT * placeDistance(geometry, dropoffPlace[a]!, dropoffPlace[b]!) +
      READY_WEIGHT * Math.abs(round.orders[a]!.readyAt - round.orders[b]!.readyAt)
    );
  }
}
