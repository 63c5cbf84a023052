import type { RunId, Seconds, UnixMs } from '#schemas/brands';
import type { DecisionContent } from '#schemas/domain';
import { bruteCostShard } from '../../test/support/brute-cost-shard';
import { cityDay } from './city/city-day';
import type { Day } from './day';
import { directDispatch } from './direct-dispatch';
import { simulateDay } from './simulate-day';

const models = [{ name: 'candidate_cost', version: '1', contentHash: '0'.repeat(64) }];
const dispatch = directDispatch({ models, costShard: bruteCostShard });
/** An afternoon in which the test cuts the day: 20:00. */
const cut = (20 * 3600) as Seconds;

/** The brute coster is for small plans, so bundles are of two. */
function smallDay(): Day {
  const day = cityDay({ orders: 60, couriers: 12, merchants: 10 });
  return {
    ...day,
    policyAt: (view) => {
      const policy = day.policyAt(view);
      return { ...policy, couriersPerBundle: 4, bundles: { ...policy.bundles, maxOrders: 2 } };
    },
  };
}

/** The rounds up to the cut: what was known, and what was decided. */
async function until(day: Day): Promise<{ known: unknown; decision: DecisionContent }[]> {
  const rounds: { known: unknown; decision: DecisionContent }[] = [];
  await simulateDay({
    day,
    runId: 'r' as RunId,
    deadlineAt: () => 1 as UnixMs,
    dispatch,
    onRound: (round, decision) => {
      if (round.asOf <= cut) rounds.push({ known: [round.asOf, round.couriers, round.orders], decision });
    },
  });
  return rounds;
}

let whole: { known: unknown; decision: DecisionContent }[];
beforeAll(async () => {
  whole = await until(smallDay());
});

test('the day up to the cut has rounds in which couriers hold orders', () => {
  expect(whole.length).toBeGreaterThan(40);
  const assignments = whole.flatMap(({ decision }) => decision.assignments);
  expect(
    assignments.filter(({ orderIds, stops }) => stops.length > 2 * orderIds.length).length,
  ).toBeGreaterThan(3);
});

test('without the orders placed later, every decision until then is the same', async () => {
  const day = smallDay();
  const orders = day.orders.filter(({ placedAt }) => placedAt <= cut);
  expect(orders.length).toBeLessThan(day.orders.length - 5);
  expect(await until({ ...day, orders })).toEqual(whole);
});

test('other true times from then on change no decision until then', async () => {
  const day = smallDay();
  const { truth } = day;
  const later = (at: Seconds, change: number) => (at > cut ? ((at + change) as Seconds) : at);
  const changed: Day = {
    ...day,
    truth: {
      ...truth,
      readyAt: (order) => later(truth.readyAt(order), 1_200),
      travelSeconds: (vehicle, from, to, departAt) => {
        const ride = truth.travelSeconds(vehicle, from, to, departAt);
        return departAt > cut ? ((ride * 2) as Seconds) : ride;
      },
    },
  };
  expect(await until(changed)).toEqual(whole);
});
