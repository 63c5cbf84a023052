import { MAX_PLAN_ORDERS } from '#schemas/tensors';
import { startOfCourier } from '../routing/index';
import type { Bundle } from './bundle-rule';
import { leastReady, type PlanningView } from './planning-view';

/**
 * Hard constraints of a courier and a bundle, for one bundle after the other. False only where no plan can keep
 * them: skills, capacity, orders in the plan, shift end and latest drop-offs by bounds that no prediction
 * undercuts. What is left is decided by the walk itself. Built once for a round.
 */
export class CourierCheck {
  private readonly heldCount: Uint8Array;
  private readonly capacity: Float64Array;
  /** Seconds relative to asOf, as all times here. */
  private readonly startAt: Float64Array;
  private readonly shiftEndsAt: Float64Array;
  private readonly leastReady: Float64Array;
  private bundle: Bundle = [];
  private hasSkills = false;
  private hasLatest = false;
  /** Units that are on board at once. */
  private load = 0;
  private readyAt = 0;
  private preService = 0;

  constructor(private readonly view: PlanningView) {
    const { round } = view;
    this.heldCount = Uint8Array.from(round.couriers, ({ held }) => held.length);
    this.capacity = Float64Array.from(round.couriers, ({ capacity }) => capacity);
    this.startAt = Float64Array.from(round.couriers, (_, courier) => startOfCourier(round, courier));
    this.shiftEndsAt = Float64Array.from(round.couriers, ({ shiftEndsAt }) => shiftEndsAt - round.asOf);
    this.leastReady = Float64Array.from(round.orders, (order) => leastReady(round, order));
  }

  /** `allows` is about this bundle from now on. */
  begin(bundle: Bundle): void {
    const { orders, policy } = this.view.round;
    this.bundle = bundle;
    this.hasSkills = this.hasLatest = false;
    this.load = this.preService = 0;
    this.readyAt = -Infinity;
    for (const index of bundle) {
      const { size, requiredSkills, latestDropoffAt, pickup } = orders[index]!;
      // Merged orders are on board together; others may be taken one after the other.
      this.load = policy.mergePickups ? this.load + size : Math.max(this.load, size);
      this.hasSkills ||= requiredSkills.length > 0;
      this.hasLatest ||= latestDropoffAt !== null;
      this.preService = Math.max(this.preService, pickup.preServiceSeconds);
      this.readyAt = Math.max(this.readyAt, this.leastReady[index]!);
    }
  }

  /** `ride` gives the least travel from the courier's position to the bundle's restaurant; asked only where it counts. */
  allows(courier: number, ride: () => number): boolean {
    const held = this.heldCount[courier]!;
    if (held + this.bundle.length > MAX_PLAN_ORDERS || this.load > this.capacity[courier]!) return false;
    if (this.hasSkills && !this.hasTheSkills(courier)) return false;
    // With a matrix a detour may be faster than the straight way, so only a single direct trip is bounded.
    const isBounded =
      this.view.round.policy.travel.kind === 'speed' || (this.bundle.length === 1 && held === 0);
    if (!isBounded) return true;
    const arrive = this.startAt[courier]! + ride();
    const served = Math.max(arrive + this.preService, this.readyAt);
    if (served > this.shiftEndsAt[courier]!) return false;
    return !this.hasLatest || this.dropsInTime(courier, arrive, served);
  }

  private hasTheSkills(courier: number): boolean {
    const { couriers, orders } = this.view.round;
    const { skills } = couriers[courier]!;
    return this.bundle.every((index) =>
      orders[index]!.requiredSkills.every((skill) => skills.includes(skill)),
    );
  }

  /** Merged orders leave the restaurant when the last of them is served. */
  private dropsInTime(courier: number, arrive: number, served: number): boolean {
    const { round, geometry, leastTravel } = this.view;
    const { vehicle } = round.couriers[courier]!;
    return this.bundle.every((index) => {
      const { latestDropoffAt, pickup, dropoff, known } = round.orders[index]!;
      if (latestDropoffAt === null) return true;
      const own = Math.max(arrive + pickup.preServiceSeconds, this.leastReady[index]!);
      const service = known.pickupWait ? pickup.postServiceSeconds : 0;
      const ride = leastTravel(geometry.pickupPlace[index]!, geometry.dropoffPlace[index]!, vehicle);
      const leaves = (round.policy.mergePickups ? served : own) + service;
      return leaves + ride + dropoff.preServiceSeconds <= latestDropoffAt - round.asOf;
    });
  }
}
