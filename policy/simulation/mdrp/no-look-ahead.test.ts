import type { RunId, Seconds, UnixMs } from '#schemas/brands';
import type { DecisionContent, DispatchRound } from '#schemas/domain';
import { bruteCostShard } from '../../../test/support/brute-cost-shard';
import type { Day, Dispatch } from '../day';
import { directDispatch } from '../direct-dispatch';
import { insertionDispatch } from '../insertion-dispatch';
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

/** The town whose meals are expected after a quarter of an hour; those that are ready later than the cut are `late` s later. */
function unknownDay(lateChanges: boolean, late: number): Day {
  const day = dispatchedDay(town(), { name: 'town', roundMinutes: 5, prepositioning: true });
  const readyAt = new Map(day.orders.map((order) => [order.orderId, order.readyAt]));
  const truth = (at: Seconds) => (at > cut * 60 ? at + late : at) as Seconds;
  return {
    ...day,
    lateChanges,
    orders: day.orders.map((order) => {
      const expected = (order.placedAt + 900) as Seconds;
      return { ...order, readyAt: expected, known: { ...order.known, ready: false } };
    }),
    truth: { ...day.truth, readyAt: ({ orderId }) => truth(readyAt.get(orderId)!) },
  };
}

/** Decides as if what is expected were known. */
const trusting: Dispatch = (round) =>
  insertionDispatch({
    ...round,
    orders: round.orders.map((order) => ({
      ...order,
      readyAt: Math.max(order.readyAt, order.known.ready ? 0 : round.asOf) as Seconds,
      known: { ...order.known, ready: true },
    })),
  });

async function rounds(day: Day) {
  const seen: { round: DispatchRound; decision: DecisionContent }[] = [];
  const result = await simulateDay({
    ...{ day, runId: 'r' as RunId, deadlineAt: () => 1 as UnixMs, dispatch: trusting },
    onRound: (round, decision) => seen.push({ round, decision }),
  });
  return { result, until: seen.filter(({ round }) => round.asOf <= cut * 60) };
}

test.each([false, true])(
  'other ready times from then on change no decision until then, late changes %s',
  async (late) => {
    const asItIs = await rounds(unknownDay(late, 0));
    const later = await rounds(unknownDay(late, 1_200));
    expect(asItIs.until.length).toBeGreaterThan(10);
    expect(later.until).toEqual(asItIs.until);
    expect(later.result.deliveries).not.toEqual(asItIs.result.deliveries);
    // With late changes couriers pick up what is ready between rounds.
    const between = asItIs.result.bundles.filter(({ assignedAt }) => assignedAt % 300 !== 0);
    expect(between.length > 0).toBe(late);
  },
);
