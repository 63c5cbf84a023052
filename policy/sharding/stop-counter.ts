import type { PlanningView } from '../candidates/index';

/**
 * Counts the stops of candidates as `stopsOfCandidate` numbers them, without building them. Built once for a
 * round; candidates of one bundle behind one another are counted together.
 */
export class StopCounter {
  private readonly heldStops: Uint8Array;
  /** By courier: places where held orders are picked up in the plan. */
  private readonly opened: readonly (readonly number[])[];
  /** By courier: whether a bundle's orders may be picked up where held ones are. */
  private readonly mayShare: Uint8Array;
  private bundle: readonly number[] = [];
  /** Stops of `bundle` for a courier that shares none. */
  private own = 0;

  constructor(private readonly view: PlanningView) {
    const { couriers, policy } = view.round;
    this.opened = couriers.map((_, courier) => this.openedBy(courier));
    this.heldStops = Uint8Array.from(
      couriers,
      ({ held }, courier) => held.length + this.opened[courier]!.length,
    );
    const shares = policy.mergePickups && policy.interleave && !policy.chains;
    this.mayShare = Uint8Array.from(this.opened, ({ length }) => (shares && length > 0 ? 1 : 0));
  }

  stopsOf(courier: number, bundle: readonly number[]): number {
    if (this.mayShare[courier] === 1) return this.heldStops[courier]! + this.added(courier, bundle);
    if (this.bundle !== bundle) {
      this.bundle = bundle;
      this.own = this.added(courier, bundle);
    }
    return this.heldStops[courier]! + this.own;
  }

  private added(courier: number, bundle: readonly number[]): number {
    const { policy } = this.view.round;
    let stops = bundle.length;
    for (let i = 0; i < bundle.length; i += 1) {
      if (!policy.mergePickups || !this.isMerged(courier, bundle, i)) stops += 1;
    }
    return stops;
  }

  /** Is the order picked up at a stop of an earlier order? */
  private isMerged(courier: number, bundle: readonly number[], i: number): boolean {
    const { round, geometry } = this.view;
    const place = geometry.pickupPlace[bundle[i]!]!;
    // Those of a trip stand side by side.
    if (round.policy.chains) return i > 0 && geometry.pickupPlace[bundle[i - 1]!]! === place;
    if (round.policy.interleave && this.opened[courier]!.includes(place)) return true;
    for (let earlier = 0; earlier < i; earlier += 1) {
      if (geometry.pickupPlace[bundle[earlier]!]! === place) return true;
    }
    return false;
  }

  private openedBy(courier: number): number[] {
    const { round, geometry, indexOf } = this.view;
    const places: number[] = [];
    for (const { orderId, onBoard } of round.couriers[courier]!.held) {
      const place = geometry.pickupPlace[indexOf.get(orderId)!]!;
      if (!onBoard && !(round.policy.mergePickups && places.includes(place))) places.push(place);
    }
    return places;
  }
}
