import type { DispatchRound } from '#schemas/domain';
import { randomRound } from '../../../test/support/random-round';
import { statedOrderTimes, stopsOfCandidate, walkPlan } from '../../routing/index';
import { planningView, type PlanningView } from '../planning-view';
import { ChainCost } from './chain-cost';
import { chainProblem } from './chain-problem';

const chained = (seed: number): DispatchRound => {
  const round = randomRound(seed);
  const policy = {
    ...round.policy,
    interleave: false,
    mergePickups: true,
    chains: { maxTrips: 6, maxOrders: 6 },
  };
  return { ...round, policy };
};

/** The walk of the courier's held stops as numbered, then of the chain as written; null where it is infeasible. */
function walked(view: PlanningView, courier: number, chain: readonly number[]): number | null {
  const { round, geometry, indexOf, travel } = view;
  const stops = stopsOfCandidate(round, geometry, indexOf, courier, chain);
  const sequence = stops.map((_, at) => at + 1);
  // Pickups come first in a trip; drop-offs keep the order of the chain.
  sequence.sort((a, b) => {
    const [one, other] = [stops[a - 1]!, stops[b - 1]!];
    const isLater = Number(one.kind === 'dropoff') - Number(other.kind === 'dropoff');
    return one.group - other.group || (one.group === 0 ? 0 : isLater) || a - b;
  });
  const times = statedOrderTimes(round);
  const plan = walkPlan({ round, geometry, travel, times, courier, stops, sequence });
  return plan.feasible ? Number(plan.cost) : null;
}

test('a chain costs what the walk of its stops costs beyond the held ones, and breaks the limits that it breaks', () => {
  const counts = { feasible: 0, infeasible: 0 };
  for (let seed = 1; seed <= 120; seed++) {
    const view = planningView(chained(seed));
    const held = new Set(
      view.round.couriers.flatMap((courier) => courier.held.map(({ orderId }) => orderId)),
    );
    const open = view.round.orders.flatMap(({ orderId }, i) => (held.has(orderId) ? [] : [i]));
    const costs = new ChainCost(chainProblem(view));
    view.round.couriers.forEach((_, courier) => {
      const base = walked(view, courier, []);
      if (base === null || !view.drives[courier] || open.length === 0) return;
      for (let length = 1; length <= 4; length++) {
        const chain = Array.from({ length }, (_, i) => open[(seed + 7 * courier + 3 * i * i) % open.length]!);
        if (new Set(chain).size < length) continue;
        const whole = walked(view, courier, chain);
        const cost = costs.atStatedTimes(courier, Int32Array.from(chain), length);
        expect(cost).toBe(whole === null ? Infinity : whole - base);
        counts[whole === null ? 'infeasible' : 'feasible']++;
      }
    });
  }
  expect(counts.feasible).toBeGreaterThan(300);
  expect(counts.infeasible).toBeGreaterThan(300);
});
