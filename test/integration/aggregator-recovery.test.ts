import { Redis } from 'ioredis';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JoinStore } from '#services/aggregator/store/join-store';
import { outcomesCodec, roundsCodec } from '#schemas/codec';
import { roundKey, headers } from '#schemas/topics';
import { startStack, type Stack } from '../support/stack';
import { until } from '../support/until';
import { AggregatorHarness, inMs, reasonsOf, roundId, roundOf, type CutRound } from './aggregator-harness';

let stack: Stack;
let harness: AggregatorHarness;
let redis: Redis;
beforeAll(async () => {
  stack = startStack('aggregator-recovery');
  // A Redis of its own, which the tests empty.
  const { topicPrefix, kafkaBrokers } = stack;
  harness = await AggregatorHarness.start({ topicPrefix, kafkaBrokers });
  redis = new Redis(harness.pipeline.redisUrl);
  redis.on('error', () => undefined);
}, 120_000);
afterAll(async () => {
  redis?.disconnect();
  await harness?.stop();
}, 60_000);

/** Killed, its data folder emptied, started again. */
async function redisWithoutItsData(): Promise<void> {
  await harness.pipeline.kill('redis');
  const folder = join(harness.pipeline.runFolder, 'redis');
  const files = readdirSync(folder);
  expect(files).not.toEqual([]);
  for (const file of files) rmSync(join(folder, file), { recursive: true });
  await harness.pipeline.restart('redis');
}

test('beside an open round with a far deadline, what is decided in its partition is known for longer', async () => {
  const publish = async (cut: CutRound, partition: number) => {
    await harness.publish(harness.topics.rounds, 'zone', roundsCodec.encode(cut.manifest), partition);
    await harness.stored(cut, 0);
  };
  const far = roundOf({ deadline: inMs(3_000_000) });
  await publish(far, 0);
  // Kept for an hour behind its own deadline in a minute, or behind the far one in fifty.
  const longMs = 3_600_000 + 1_500_000;
  for (const [partition, isLong] of [
    [0, true],
    [1, false],
  ] as const) {
    const near = roundOf({ deadline: inMs(60_000) });
    await publish(near, partition);
    await harness.publishOutcomes(near.outcomes);
    await harness.decisionOf(near);
    const key = `${stack.topicPrefix}aggregator:round:${roundKey(near.manifest.round)}`;
    await until(async () => (await redis.hexists(key, 'published')) === 1, 'it is known as published');
    expect((await redis.pttl(key)) > longMs).toBe(isLong);
  }
  await harness.publishOutcomes(far.outcomes);
  await harness.decisionOf(far);
}, 90_000);

test('killed and started again mid-round: outcomes from before and after the crash make the decision', async () => {
  const round = roundOf({ deadline: inMs(60_000) });
  await harness.publishRound(round);
  await harness.publishOutcomes(round.outcomes.slice(0, 1));
  await harness.stored(round, 1);
  await harness.pipeline.kill('aggregator');
  await harness.publishOutcomes(round.outcomes.slice(1));
  await harness.pipeline.restart('aggregator');
  const { decision } = await harness.decisionOf(round);
  expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
  expect(harness.decisionsOf(round)).toHaveLength(1);
}, 90_000);

test('an outcome in Redis of which no notice came is in the decision of the deadline', async () => {
  const round = roundOf({ deadline: inMs(5_000) });
  const key = roundKey(round.manifest.round);
  await harness.publishRound(round);
  await harness.publishOutcomes(round.outcomes.slice(0, 1));
  await harness.stored(round, 1);
  // As an instance that had lost the partition would store it, with the notice lost.
  const store = new JoinStore(redis, stack.topicPrefix, 60_000);
  for (const outcome of round.outcomes.slice(1)) {
    await store.append(key, outcomesCodec.encode(outcome), round.manifest.shardCount, false);
  }
  const { decision, appendedAt } = await harness.decisionOf(round);
  expect(decision.content.coverage).toBe(1);
  expect(appendedAt).toBeLessThanOrEqual(round.manifest.round.deadline);
}, 60_000);

test('dead over a deadline: the round is decided after the restart and marked', async () => {
  const round = roundOf({ deadline: inMs(4_000) });
  await harness.publishRound(round);
  await harness.publishOutcomes(round.outcomes.slice(1));
  await harness.stored(round, round.outcomes.length - 1);
  await harness.pipeline.kill('aggregator');
  await sleep(Math.max(0, round.manifest.round.deadline - Date.now()) + 300);
  await harness.pipeline.restart('aggregator');
  const published = await harness.decisionOf(round);
  expect(published.appendedAt).toBeGreaterThan(round.manifest.round.deadline);
  expect(published.headers[headers.outage]).toBe('aggregator');
  expect(published.decision.content.closedBy).toBe('deadline');
  expect(published.decision.content.coverage).toBeGreaterThan(0);
  expect(new Set(harness.decisionsOf(round).map(({ decision }) => decision.contentHash)).size).toBe(1);
}, 90_000);

test('Redis loses its memory mid-round: the join goes on from memory, and decided rounds stay decided', async () => {
  const decided = roundOf({ deadline: inMs(60_000) });
  await harness.publishRound(decided);
  await harness.publishOutcomes(decided.outcomes);
  await harness.decisionOf(decided);
  const { runId } = decided.manifest.round;
  const open = roundOf({ deadline: inMs(60_000), runId, roundId: roundId('open'), sequence: 7n });
  await harness.publishRound(open);
  await harness.publishOutcomes(open.outcomes.slice(0, 1));
  await harness.stored(open, 1);
  await redis.flushall();
  await harness.publishOutcomes(open.outcomes.slice(1));
  expect((await harness.decisionOf(open)).decision.content).toMatchObject({
    closedBy: 'complete',
    coverage: 1,
  });
  await harness.publishRound(decided);
  const stale = roundOf({ deadline: inMs(60_000), runId, roundId: roundId('stale'), sequence: 6n });
  await harness.publishRound(stale);
  expect(Object.values(reasonsOf(await harness.decisionOf(stale)))).toEqual(['stale', 'stale', 'stale']);
  expect(harness.decisionsOf(decided)).toHaveLength(1);
}, 90_000);

test('Redis loses its memory while the aggregator is dead: rounds and outcomes come back from Kafka', async () => {
  const decided = roundOf({ deadline: inMs(60_000) });
  const { runId } = decided.manifest.round;
  await harness.publishRound(decided);
  await harness.publishOutcomes(decided.outcomes);
  await harness.decisionOf(decided);
  const open = roundOf({ deadline: inMs(60_000), runId, roundId: roundId('open'), sequence: 9n });
  await harness.publishRound(open);
  await harness.publishOutcomes(open.outcomes.slice(1));
  await harness.stored(open, open.outcomes.length - 1);
  // Time for the offsets of the outcomes to be committed.
  await sleep(500);
  await harness.pipeline.kill('aggregator');
  await redisWithoutItsData();
  await harness.pipeline.restart('aggregator');
  await harness.publishOutcomes(open.outcomes.slice(0, 1));
  expect((await harness.decisionOf(open)).decision.content).toMatchObject({
    closedBy: 'complete',
    coverage: 1,
  });
  await harness.publishRound(decided);
  const marker = roundOf({ deadline: inMs(60_000), runId, roundId: roundId('marker'), sequence: 10n });
  await harness.publishRound(marker);
  await harness.publishOutcomes(marker.outcomes);
  await harness.decisionOf(marker);
  expect(harness.decisionsOf(decided)).toHaveLength(1);
}, 90_000);

test('Redis starts again with an empty data folder mid-round: the round is decided once, from memory', async () => {
  const decided = roundOf({ deadline: inMs(60_000) });
  const { runId } = decided.manifest.round;
  await harness.publishRound(decided);
  await harness.publishOutcomes(decided.outcomes);
  await harness.decisionOf(decided);
  const open = roundOf({ deadline: inMs(60_000), runId, roundId: roundId('open'), sequence: 3n });
  await harness.publishRound(open);
  await harness.publishOutcomes(open.outcomes.slice(1));
  await harness.stored(open, open.outcomes.length - 1);
  await redisWithoutItsData();
  await harness.publishOutcomes(open.outcomes.slice(0, 1));
  expect((await harness.decisionOf(open)).decision.content).toMatchObject({
    closedBy: 'complete',
    coverage: 1,
  });
  await harness.publishRound(decided);
  const stale = roundOf({ deadline: inMs(60_000), runId, roundId: roundId('stale'), sequence: 2n });
  await harness.publishRound(stale);
  expect(new Set(Object.values(reasonsOf(await harness.decisionOf(stale))))).toEqual(new Set(['stale']));
  for (const round of [decided, open]) expect(harness.decisionsOf(round)).toHaveLength(1);
}, 90_000);
