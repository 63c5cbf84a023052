import type { ChainRule } from '#schemas/domain';
import { MAX_BUNDLE_ORDERS } from '#schemas/tensors';
import { placeDistance } from '../../routing/index';
import type { PlanningView } from '../planning-view';
import type { ChainProblem } from './chain-problem';

/** What a chain may be: trips and their orders by the round's policy, and who may carry what. */
export class ChainRules {
  readonly maxOrders: number;
  private readonly maxTrips: number;
  private readonly perTrip: number;
  private readonly hasSkills: boolean;

  constructor(
    private readonly view: PlanningView,
    private readonly problem: ChainProblem,
    chains: ChainRule,
  ) {
    this.maxOrders = Math.min(chains.maxOrders, MAX_BUNDLE_ORDERS);
    this.maxTrips = chains.maxTrips;
    this.perTrip = view.round.policy.bundles.maxOrders;
    this.hasSkills = view.round.orders.some(({ requiredSkills }) => requiredSkills.length > 0);
  }

  roomOf(courier: number): number {
    return Math.min(this.maxOrders, this.problem.room[courier]!);
  }

  may(courier: number, order: number): boolean {
    if (!this.hasSkills) return true;
    const { couriers, orders } = this.view.round;
    return orders[order]!.requiredSkills.every((skill) => couriers[courier]!.skills.includes(skill));
  }

  /** Whether the chain keeps to the rules; it did without the order at `changed`. */
  allow(chain: Int32Array, length: number, changed: number): boolean {
    const { pickupPlace } = this.problem;
    let trips = 1;
    for (let i = 1; i < length; i += 1)
      if (pickupPlace[chain[i]!]! !== pickupPlace[chain[i - 1]!]!) trips += 1;
    if (trips > this.maxTrips) return false;
    const restaurant = pickupPlace[chain[changed]!]!;
    let begin = changed;
    let end = changed + 1;
    while (begin > 0 && pickupPlace[chain[begin - 1]!]! === restaurant) begin -= 1;
    while (end < length && pickupPlace[chain[end]!]! === restaurant) end += 1;
    return end - begin <= this.perTrip && this.goTogether(chain, begin, end, changed);
  }

  /** Does the order at `changed` keep to the spreads with all others of its trip? */
  private goTogether(chain: Int32Array, begin: number, end: number, changed: number): boolean {
    const { readyAt, dropoffPlace } = this.problem;
    const { maxReadySpreadSeconds, maxDropoffSpreadMetres } = this.view.round.policy.bundles;
    const order = chain[changed]!;
    for (let i = begin; i < end; i += 1) {
      const other = chain[i]!;
      if (other === order) continue;
      if (Math.abs(readyAt[order]! - readyAt[other]!) > maxReadySpreadSeconds) return false;
      const apart = placeDistance(this.view.geometry, dropoffPlace[order]!, dropoffPlace[other]!);
      if (apart > maxDropoffSpreadMetres) return false;
    }
    return true;
  }
}
