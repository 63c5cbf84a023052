import type { DispatchRound } from '#schemas/domain';
import { randomRound } from '../../test/support/random-round';
import { candidateTable, planningView } from '../candidates/index';
import { stopsOfCandidate } from '../routing/index';
import { StopCounter } from './stop-counter';

const asChains = (round: DispatchRound): DispatchRound => ({
  ...round,
  policy: { ...round.policy, interleave: false, mergePickups: true, chains: { maxTrips: 3, maxOrders: 6 } },
});

test('as many stops as the candidate has, with and without merged and mixed stops and chains', () => {
  let counted = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const round = seed % 3 === 0 ? asChains(randomRound(seed)) : randomRound(seed);
    const view = planningView(round);
    const counter = new StopCounter(view);
    const { bundles } = candidateTable(view);
    // Orders of several restaurants, too: any two.
    const any = [[], [0, 1], [2, 3, 4], [5, 6, 7, 5], ...bundles.slice(0, 40)];
    round.couriers.forEach((_, courier) => {
      for (const bundle of any) {
        const stops = stopsOfCandidate(round, view.geometry, view.indexOf, courier, bundle);
        expect(counter.stopsOf(courier, bundle)).toBe(stops.length);
        counted++;
      }
    });
  }
  expect(counted).toBeGreaterThan(5_000);
});
