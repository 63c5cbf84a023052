import type { RunId, Seconds, UnixMs } from '#schemas/brands';
import { bruteCostShard } from '../../../test/support/brute-cost-shard';
import { directDispatch } from '../direct-dispatch';
import { insertionDispatch } from '../insertion-dispatch';
import { naiveDispatch } from '../naive-dispatch';
import { simulateDay } from '../simulate-day';
import type { MdrpInstance } from './instance';
import { mdrpDay } from './mdrp-day';
import { mdrpPolicy } from './mdrp-policy';
import { solutionFiles } from './solution-files';

/** One restaurant, two homes in one direction, one courier 3 km off; 300 m a minute. */
const instance: MdrpInstance = {
  orders: [
    { id: 'o1', x: 600, y: 0, placedAt: 2, restaurant: 'r1', readyAt: 20 },
    { id: 'o2', x: 900, y: 0, placedAt: 4, restaurant: 'r1', readyAt: 20 },
  ],
  restaurants: new Map([['r1', { id: 'r1', x: 0, y: 0 }]]),
  couriers: [{ id: 'c1', x: 3000, y: 0, onAt: 0, offAt: 120 }],
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
const day = mdrpDay(instance, {
  name: 'tiny',
  roundMinutes: 5,
  offerHorizonSeconds: 1800 as Seconds,
  shiftLookaheadSeconds: 1800 as Seconds,
  policyAt: (_view, parameters) => mdrpPolicy(parameters, { roundMinutes: 5, prepositioning: false }),
});
const models = [{ name: 'candidate_cost', version: '1', contentHash: '0'.repeat(64) }];
const run = (dispatch: Parameters<typeof simulateDay>[0]['dispatch']) =>
  simulateDay({ day, runId: 'r' as RunId, deadlineAt: () => 1 as UnixMs, dispatch });

test('both orders in one bundle: three files in minutes', async () => {
  const files = solutionFiles(instance, await run(directDispatch({ models, costShard: bruteCostShard })));
  // Round at 5: ready at 20 > 5 + 5 + 2, so the courier is only sent: 10 min, there at 15. The round at 15
  // (20 ≤ 22) makes it final: pickup 20, leaves 22; o1 2 min on: there 24, dropped 26, leaves 28; o2 1 min on:
  // there 29, dropped 31.
  expect(files.couriers).toBe(
    'courier departure_time origin destination\nc1 5 0 r1\nc1 22 r1 o1\nc1 28 o1 o2\n',
  );
  expect(files.orders).toBe(
    'order placement_time ready_time pickup_time dropoff_time courier\no1 2 20 20 26 c1\no2 4 20 20 31 c1\n',
  );
  expect(files.assignments).toMatch(/^assignment_time pickup_time courier orders\n15 20 c1 o1 o2\n$/);
});

test('the naive baseline takes them one by one', async () => {
  const files = solutionFiles(instance, await run(naiveDispatch));
  // o1 as above, free at 28 at 600 m: back 2 min, pickup 32, leaves 34; 3 min to o2: dropped 39.
  expect(files.orders).toContain('o1 2 20 20 26 c1\no2 4 20 32 39 c1\n');
});

test('greedy insertion puts the second order into the trip of the first', async () => {
  const files = solutionFiles(instance, await run(insertionDispatch));
  // A trip of its own would bring o2 at 39 as above, in the trip of o1 it is there at 31.
  expect(files.orders).toContain('o1 2 20 20 26 c1\no2 4 20 20 31 c1\n');
  expect(files.assignments).toMatch(/\n15 20 c1 o1 o2\n$/);
});
