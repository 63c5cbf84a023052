import { outcomesCodec } from '#schemas/codec';
import type { ShardOutcome } from '#schemas/domain';
import type { RunId } from '#schemas/brands';
import { cutRound } from '#policy/sharding/index';
import { bruteCostShard } from '../../../test/support/brute-cost-shard';
import { buildCourier, buildOrder, buildRound } from '../../../test/support/build-round';
import { openRoundOf } from '../../../test/support/open-round';
import type { OpenRound } from './open-round';
import { lookMs, takeOutcomes } from './pull-outcomes';

const round = buildRound({
  runId: 'run' as RunId,
  couriers: [buildCourier('k0'), buildCourier('k1')],
  orders: [buildOrder('o0'), buildOrder('o1')],
});
const models = [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }];
const { manifest, shards } = cutRound(round, models, { candidatesPerShard: 3 });
const outcomes = shards.map(bruteCostShard);
const first = outcomes[0]!;
const wrong: ShardOutcome = { ...first, candidateCount: first.candidateCount + 1 };
const bytesOf = (all: readonly ShardOutcome[]) => all.map((outcome) => outcomesCodec.encode(outcome));

const opened = (of = manifest): OpenRound => openRoundOf(of);

test('a shard with only an invalid outcome is waited for, and counts as failed at the close', () => {
  expect(shards.length).toBeGreaterThan(1);
  const open = opened();
  for (const outcome of [wrong, ...outcomes.slice(1)]) open.add(outcome, outcomesCodec.encode(outcome));
  expect(open.isComplete()).toBe(false);
  expect(open.outcomes().get(0)).toBe(wrong);
  expect(open.add(first, outcomesCodec.encode(first)).use).toBe('used');
  expect(open.isComplete()).toBe(true);
  expect(open.outcomes().get(0)).toBe(first);
});

test('a failed outcome is a valid one: nothing better is waited for', () => {
  const noBytes = new Uint8Array(0);
  const none = { plans: noBytes, orderTimes: noBytes, rideFactors: noBytes };
  const failed: ShardOutcome = { ...first, ...none, status: 'failed', errorCode: 'INTERNAL' };
  const open = opened();
  for (const outcome of [failed, ...outcomes.slice(1)]) open.add(outcome, outcomesCodec.encode(outcome));
  expect(open.isComplete()).toBe(true);
});

test('outcomes from Redis that contradict the manifest are told of once, also beside a valid one', () => {
  const told: string[] = [];
  const onInvalid = (_: OpenRound, { shardIndex }: ShardOutcome, bytes: Buffer, fault: string) => {
    expect(bytes).toEqual(outcomesCodec.encode(wrong));
    told.push(`${shardIndex}: ${fault}`);
  };
  const open = opened();
  takeOutcomes(open, bytesOf([first, wrong]), 0, onInvalid);
  const expected = [`0: candidateCount ${wrong.candidateCount}, not ${first.candidateCount}`];
  expect(told).toEqual(expected);
  takeOutcomes(open, bytesOf([first, wrong, ...outcomes.slice(1)]), 0, onInvalid);
  expect(told).toEqual(expected);
  expect({ complete: open.isComplete(), pulled: open.pulled }).toEqual({
    complete: true,
    pulled: outcomes.length + 1,
  });
});

// Guards against a look at a slow Redis that leaves the decision no time: of 150 ms it took 100.
test.each([
  ['a third of what is left: 150 / 3', 150, 50],
  ['100 ms at most', 600, 100],
  ['an overdue round has no time to lose', -5, 100],
])('a look at Redis before the close may take %s', (_, left, ms) => expect(lookMs(left)).toBe(ms));
