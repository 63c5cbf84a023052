import type { Bundle } from './bundle-rule';
import type { CourierCheck } from './courier-check';
import { leastRide, offerEarliest, type Ranking } from './nearest-couriers';
import type { PlanningView } from './planning-view';

/** Fewer are sorted by insertion. */
const FEW = 48;

/** The couriers that a bundle is offered to, for one bundle after the other. */
export class ChosenCouriers {
  count = 0;
  /** The first `count` are of the bundle asked for last: courier indices, ascending. */
  readonly couriers: Int32Array;

  constructor(
    private readonly view: PlanningView,
    private readonly check: CourierCheck,
    /** Couriers a bundle, without those that were told of it. */
    private readonly most: number,
  ) {
    this.couriers = new Int32Array(view.round.couriers.length);
  }

  /** The earliest couriers that can make it, with those told before, by courier index. */
  choose(ranking: Ranking, bundle: Bundle, told: readonly number[]): void {
    const { orders, asOf } = this.view.round;
    let ready = -Infinity;
    let walkIn = -Infinity;
    for (const order of bundle) {
      ready = Math.max(ready, orders[order]!.readyAt - asOf);
      walkIn = Math.max(walkIn, orders[order]!.pickup.preServiceSeconds);
    }
    this.count = 0;
    this.check.begin(bundle);
    if (this.most > 0) {
      offerEarliest(ranking, ready - walkIn, (position) => {
        if (this.canMakeIt(ranking, position)) this.couriers[this.count++] = ranking.couriers[position]!;
        return this.count < this.most;
      });
    }
    for (const courier of told) this.addTold(ranking, courier);
    this.sort();
  }

  private addTold(ranking: Ranking, courier: number): void {
    const position = ranking.couriers.indexOf(courier);
    if (position < 0 || this.couriers.subarray(0, this.count).includes(courier)) return;
    if (this.canMakeIt(ranking, position)) this.couriers[this.count++] = courier;
  }

  private canMakeIt(ranking: Ranking, position: number): boolean {
    return this.check.allows(ranking.couriers[position]!, () => leastRide(this.view, ranking, position));
  }

  private sort(): void {
    const { couriers, count } = this;
    if (count > FEW) return void couriers.subarray(0, count).sort();
    for (let next = 1; next < count; next += 1) {
      const courier = couriers[next]!;
      let at = next;
      for (; at > 0 && couriers[at - 1]! > courier; at -= 1) couriers[at] = couriers[at - 1]!;
      couriers[at] = courier;
    }
  }
}
