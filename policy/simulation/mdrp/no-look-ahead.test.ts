import type { RunId, UnixMs } from '#schemas/brands';
import type { DecisionContent, DispatchRound } from '#schemas/domain';
import { bruteCostShard } from '../../../test/support/brute-cost-shard';
import { directDispatch } from '../direct-dispatch';
import { simulateDay } from '../simulate-day';
import { dispatchedDay } from './dispatched-day';
import type { MdrpInstance } from './instance';

const models = [{ name: 'candidate_cost', version: '1', contentHash: '0'.repeat(64) }];
const planned = directDispatch({ models, costShard: bruteCostShard });
/** Minutes. */
const cut = 90;

/** Three hours of 80 orders from 6 restaurants of a town of 4 km, for 7 couriers; the same numbers every time. */
function town(): MdrpInstance {
  let state = 7;
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  const spot = () => ({ x: below(4_000), y: below(4_000) });
  const restaurants = Array.from({ length: 6 }, (_, i) => ({ id: `r${i}`, ...spot() }));
  return {
    restaurants: new Map(restaurants.map((restaurant) => [restaurant.id, restaurant])),
    orders: Array.from({ length: 80 }, (_, i) => {
      const placedAt = below(180);
      const readyAt = placedAt + 8 + below(15);
      // The sixth restaurant has orders at the end only.
      const restaurant = `r${placedAt > 150 ? 5 : below(5)}`;
      return { id: `o${i}`, ...spot(), placedAt, restaurant, readyAt };
    }),
    couriers: Array.from({ length: 7 }, (_, i) => ({
      id: `c${i}`,
      ...spot(),
      onAt: 30 * below(3),
      offAt: 180 + 30 * below(3),
    })),
    parameters: {
      metresPerMinute: 300,
      pickupServiceMinutes: 4,
      dropoffServiceMinutes: 4,
      targetClickToDoor: 40,
      maximumClickToDoor: 90,
      payPerOrder: 10,
      guaranteedPayPerHour: 15,
    },
  };
}

/** The rounds up to the cut, and what was decided; chains are short, since the test's planner is slow. */
async function until(instance: MdrpInstance) {
  const day = dispatchedDay(instance, { name: 'town', roundMinutes: 5, prepositioning: true });
  const rounds: { round: DispatchRound; decision: DecisionContent }[] = [];
  await simulateDay({
    day: {
      ...day,
      policyAt: (view) => ({
        ...day.policyAt(view),
        couriersPerBundle: 3,
        chains: { maxTrips: 2, maxOrders: 3 },
      }),
    },
    runId: 'r' as RunId,
    deadlineAt: () => 1 as UnixMs,
    dispatch: planned,
    onRound: (round, decision) => {
      if (round.asOf <= cut * 60) rounds.push({ round, decision });
    },
  });
  return rounds;
}

test('without the orders placed later, chains and prepositioning decide the same until then', async () => {
  const instance = town();
  const whole = await until(instance);
  const trips = whole.flatMap(({ decision }) => decision.assignments.map(({ courierId }) => courierId));
  expect(trips.length).toBeGreaterThan(new Set(trips).size);
  const sent = whole.flatMap(({ decision: { assignments, moves } }) =>
    moves.filter(({ courierId }) => !assignments.some((one) => one.courierId === courierId)),
  );
  expect(sent.length).toBeGreaterThan(1);
  const told = whole.flatMap(({ round }) => round.couriers.filter((c) => c.tentativeOrderIds.length > 1));
  expect(told.length).toBeGreaterThan(1);
  const orders = instance.orders.filter(({ placedAt }) => placedAt <= cut);
  expect(orders.length).toBeLessThan(instance.orders.length - 10);
  expect(await until({ ...instance, orders })).toEqual(whole);
});
