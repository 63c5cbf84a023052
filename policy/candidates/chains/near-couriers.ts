import { placeDistance } from '../../routing/index';
import type { PlanningView } from '../planning-view';
import type { ChainProblem } from './chain-problem';

/** So many couriers are looked at for an order. */
const MOST = 25;

/** For each restaurant the couriers within the radius that would be there first; found when first asked for. */
export class NearCouriers {
  private readonly lists = new Map<number, Int32Array>();

  constructor(
    private readonly view: PlanningView,
    private readonly problem: ChainProblem,
  ) {}

  of(order: number): Int32Array {
    const place = this.problem.pickupPlace[order]!;
    const known = this.lists.get(place);
    if (known !== undefined) return known;
    const list = this.nearest(place);
    this.lists.set(place, list);
    return list;
  }

  private nearest(place: number): Int32Array {
    const { problem } = this;
    const { geometry, drives, round } = this.view;
    const arrival = new Float64Array(problem.courierCount);
    const couriers: number[] = [];
    for (let courier = 0; courier < problem.courierCount; courier += 1) {
      const distance = placeDistance(geometry, geometry.courierPlace[courier]!, place);
      if (!drives[courier] || distance > round.policy.candidateRadiusMetres) continue;
      const ride = problem.travel(problem.vehicle[courier]!, problem.startPlace[courier]!, place);
      arrival[courier] = problem.startAt[courier]! + ride;
      if (arrival[courier]! <= problem.shiftEndsAt[courier]!) couriers.push(courier);
    }
    couriers.sort((a, b) => arrival[a]! - arrival[b]! || a - b);
    return Int32Array.from(couriers.slice(0, MOST));
  }
}
