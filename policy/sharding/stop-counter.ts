import type { PlanningView } from '../candidates/index';

/**
 * Counts the stops of candidates as `stopsOfCandidate` numbers them, without building them. Built once for a
 * round.
 */
export class StopCounter {
  private readonly heldStops: Uint8Array;
  /** By courier: places where held orders are picked up in the plan. */
  private readonly opened: readonly (readonly number[])[];

  constructor(private readonly view: PlanningView) {
    const { couriers } = view.round;
    this.opened = couriers.map((_, courier) => this.openedBy(courier));
    this.heldStops = Uint8Array.from(
      couriers,
      ({ held }, courier) => held.length + this.opened[courier]!.length,
    );
  }

  stopsOf(courier: number, bundle: readonly number[]): number {
    const { policy } = this.view.round;
    let stops = this.heldStops[courier]! + bundle.length;
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
