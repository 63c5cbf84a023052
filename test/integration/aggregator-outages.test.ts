import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ZoneId } from '#schemas/brands';
import { outageOf } from '#schemas/outage-mark';
import { headers, roundKey } from '#schemas/topics';
import { until } from '../support/until';
import {
  AggregatorHarness,
  inMs,
  roundId,
  roundOf,
  type CutRound,
  type Published,
} from './aggregator-harness';
import { stopProcess } from '../support/stop-process';
import { pidOf, processOf } from '../support/running-process';
import { disconnectedWithFile } from '../support/closed-with-file';

let harness: AggregatorHarness;
beforeAll(async () => {
  harness = await AggregatorHarness.start({ topicPrefix: 'outages.' });
}, 120_000);
afterAll(() => harness?.stop(), 60_000);

const outageIn = ({ decision, headers: sent, appendedAt }: Published) =>
  outageOf({ headers: sent, appendedAt, deadline: decision.deadline });

/** All but the outcome of one shard, so that the deadline closes the round; resolves when the aggregator has them. */
async function publishLackingOne(round: CutRound): Promise<void> {
  await harness.publishRound(round);
  await harness.publishOutcomes(round.outcomes.slice(1));
  await harness.stored(round, round.outcomes.length - 1);
}

async function readiness(): Promise<{ status: number; text: string }> {
  const aggregator = processOf(harness.pipeline, 'aggregator');
  const response = await fetch(`http://127.0.0.1:${aggregator.ports.http}/readyz`);
  return { status: response.status, text: await response.text() };
}

test('Redis away over some deadlines: those rounds are decided in deadline order and marked', async () => {
  // Overdue during the outage, published in the reverse order of their deadlines, and one with time left.
  const overdue = [1_600, 1_300, 1_000].map((ms, i) =>
    roundOf({ deadline: inMs(5_000 + ms), zoneId: `zone-${i}` as ZoneId }),
  );
  const later = roundOf({ deadline: inMs(120_000), zoneId: 'later' as ZoneId });
  for (const round of [...overdue, later]) await publishLackingOne(round);
  await harness.pipeline.kill('redis');
  await harness.publishOutcomes(later.outcomes.slice(0, 1));
  await until(async () => (await readiness()).text.includes('not connected'), 'not ready');
  await sleep(Math.max(0, overdue[0]!.manifest.round.deadline - Date.now()) + 200);
  await harness.pipeline.restart('redis');
  const published = [];
  for (const round of overdue) published.push(await harness.decisionOf(round));
  for (const { headers: sent, decision } of published) {
    expect(sent[headers.outage]).toBe('redis');
    expect(decision.content.coverage).toBeGreaterThan(0);
  }
  const closed = published.map(({ headers: sent }) => Number(sent[headers.closedAt]));
  expect(closed).toEqual([...closed].sort((a, b) => b - a));
  const { decision, headers: sent } = await harness.decisionOf(later);
  expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
  expect(sent[headers.outage]).toBeUndefined();
}, 120_000);

/** A send that waits for the broker is made again after so long (less a timer's rounding), with the same bytes. */
const RESENT_AFTER_MS = 290;

/** One decision; a busy broker may have it several times, each sent when the one before had not been acknowledged in time. */
function expectOnce(round: CutRound): void {
  const records = harness.decisionsOf(round);
  const sentAt = records.map(({ headers: sent }) => Number(sent[headers.sentAt]));
  for (const [i, { bytes }] of records.entries()) {
    expect(bytes).toEqual(records[0]!.bytes);
    if (i > 0) expect(sentAt[i]! - sentAt[i - 1]!).toBeGreaterThanOrEqual(RESENT_AFTER_MS);
  }
}

const isPublished = (round: CutRound) => harness.decisionsOf(round).length > 0;
const passed = (round: CutRound) => sleep(Math.max(0, round.manifest.round.deadline - Date.now()));

test('Redis cut in the middle of 60 deadlines: each decided once, late ones marked and in deadline order', async () => {
  const rounds = Array.from({ length: 60 }, (_, i) =>
    roundOf({ deadline: inMs(8_000 + 80 * i), zoneId: `many-${i}` as ZoneId }),
  );
  await Promise.all(rounds.map(publishLackingOne));
  // However early before its deadline a busy aggregator closes: those behind this one are still open.
  await harness.eventually(() => isPublished(rounds[10]!));
  await harness.pipeline.kill('redis');
  const cutAt = Date.now();
  await passed(rounds[30]!);
  const backAt = Date.now();
  await harness.pipeline.restart('redis');
  const published = [];
  for (const round of rounds) published.push(await harness.decisionOf(round));
  // Due while there was no Redis to claim them in. What is late for other reasons, as the machine's, isn't looked at.
  const overdue = published.filter(({ decision, appendedAt, headers: sent }) => {
    const isDue = decision.deadline >= cutAt && decision.deadline <= backAt;
    return isDue && appendedAt > decision.deadline && Number(sent[headers.closedAt]) > backAt;
  });
  expect(overdue.length).toBeGreaterThan(0);
  // Where the broker held sends up for longer than Redis was away, that is their outage.
  for (const one of overdue) expect(['redis', 'kafka']).toContain(outageIn(one));
  const closedAt = overdue.map(({ headers: sent }) => Number(sent[headers.closedAt]));
  expect(closedAt).toEqual([...closedAt].sort((a, b) => a - b));
  rounds.forEach(expectOnce);
}, 120_000);

test('Kafka away over a deadline: the decision comes once, marked, after the broker is back', async () => {
  const overdue = roundOf({ deadline: inMs(5_000), zoneId: 'overdue' as ZoneId });
  const later = roundOf({ deadline: inMs(180_000), zoneId: 'later-2' as ZoneId });
  for (const round of [overdue, later]) await publishLackingOne(round);
  await harness.pipeline.kill('broker');
  await sleep(Math.max(0, overdue.manifest.round.deadline - Date.now()) + 500);
  await harness.pipeline.restart('broker');
  const published = await harness.decisionOf(overdue, 90_000);
  expect(published.appendedAt).toBeGreaterThan(overdue.manifest.round.deadline);
  expect(outageIn(published)).toBe('kafka');
  await harness.publishOutcomes(later.outcomes.slice(0, 1));
  expect((await harness.decisionOf(later, 90_000)).decision.content.coverage).toBe(1);
  for (const round of [overdue, later]) {
    expect(new Set(harness.decisionsOf(round).map(({ decision }) => decision.contentHash)).size).toBe(1);
  }
}, 240_000);

test('a round that was published long ago, and comes again, holds back no newer one', async () => {
  const old = roundOf({ deadline: inMs(60_000), sequence: 5n });
  const { runId } = old.manifest.round;
  await harness.publishRound(old);
  await harness.publishOutcomes(old.outcomes);
  await harness.decisionOf(old);
  const newer = roundOf({ deadline: inMs(60_000), sequence: 6n, runId, roundId: roundId('newer') });
  await publishLackingOne(newer);
  const redis = disconnectedWithFile(new Redis(harness.pipeline.redisUrl));
  try {
    // The old round is in memory again, Redis has not told yet that it is published, the newer one is complete.
    await redis.client('PAUSE', 1_000, 'ALL');
    await harness.publishRound(old);
    await sleep(200);
    await harness.publishOutcomes(newer.outcomes.slice(0, 1));
    const { decision } = await harness.decisionOf(newer, 40_000);
    expect(decision.content).toMatchObject({ closedBy: 'complete', coverage: 1 });
  } finally {
    redis.disconnect();
  }
}, 60_000);

/** Stopped, the broker takes bytes and answers nothing; when it goes on it works off what it was sent. */
async function stopBrokerOver(round: CutRound, whileStopped: () => Promise<void>): Promise<void> {
  await sleep(Math.max(0, round.manifest.round.deadline - Date.now() - 1_500));
  await stopProcess(pidOf(harness.pipeline, 'broker'));
  try {
    await whileStopped();
  } finally {
    harness.pipeline.signal('broker', 'SIGCONT');
  }
}

test('killed between the claim in Redis and the acknowledgement: what was claimed is published, byte-equal', async () => {
  const round = roundOf({ deadline: inMs(6_000), zoneId: 'claimed' as ZoneId });
  const key = `outages.aggregator:round:${roundKey(round.manifest.round)}`;
  await publishLackingOne(round);
  const redis = disconnectedWithFile(new Redis(harness.pipeline.redisUrl));
  let claimed: Buffer | null = null;
  await stopBrokerOver(round, async () => {
    const giveUpAt = round.manifest.round.deadline + 20_000;
    while (claimed === null && Date.now() < giveUpAt) {
      claimed = await redis.hgetBuffer(key, 'decision');
      await sleep(5);
    }
    expect(await redis.hget(key, 'published')).toBeNull();
    await harness.pipeline.kill('aggregator');
  });
  redis.disconnect();
  expect(claimed).not.toBeNull();
  // What comes too late to be in the decision must not change it.
  await harness.publishOutcomes(round.outcomes.slice(0, 1));
  await harness.pipeline.restart('aggregator');
  await harness.eventually(() =>
    harness.decisionsOf(round).some(({ headers: h }) => h[headers.outage] !== undefined),
  );
  for (const { bytes } of harness.decisionsOf(round)) expect(bytes).toEqual(claimed);
}, 90_000);

test('a send that hangs over a deadline is made again, with the mark', async () => {
  // The aggregator of the test before was started again: for two seconds that may be the mark of what is behind.
  await sleep(2_100);
  const round = roundOf({ deadline: inMs(6_000), zoneId: 'hangs' as ZoneId });
  await publishLackingOne(round);
  await stopBrokerOver(round, async () => {
    await sleep(Math.max(0, round.manifest.round.deadline - Date.now()) + 1_000);
  });
  const isMarked = ({ headers: sent }: Published) => sent[headers.outage] === 'kafka';
  await harness.eventually(() => harness.decisionsOf(round).some(isMarked));
  const all = harness.decisionsOf(round);
  expect(new Set(all.map(({ decision }) => decision.contentHash)).size).toBe(1);
  // The first was on its way before anybody knew; its own times tell.
  expect(all.map(outageIn)).toEqual(all.map(() => 'kafka'));
}, 90_000);

test('a round to which an outage left no time for its close is marked, in time or not', async () => {
  const redis = disconnectedWithFile(new Redis(harness.pipeline.redisUrl));
  const stopped = pidOf(harness.pipeline, 'redis');
  const receivedAt = Date.now();
  await stopProcess(stopped);
  await sleep(600);
  process.kill(stopped, 'SIGCONT');
  await redis.ping();
  redis.disconnect();
  // As ingest sends it that got it before the outage: of the 50 ms that are left a close may use 25, not its 150.
  const round = roundOf({ deadline: inMs(50), zoneId: 'pressed' as ZoneId });
  await harness.publishRound(round, { [headers.receivedAt]: `${receivedAt}` });
  expect(outageIn(await harness.decisionOf(round))).toBe('redis');
}, 60_000);

test('an eviction policy that may drop keys makes it not ready, with the reason', async () => {
  const redis = disconnectedWithFile(new Redis(harness.pipeline.redisUrl));
  try {
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    expect(await readiness()).toMatchObject({
      status: 503,
      text: expect.stringContaining('volatile-lru') as string,
    });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    expect((await readiness()).status).toBe(200);
  } finally {
    redis.disconnect();
  }
}, 60_000);

const refusals = [
  ['full', ['CONFIG', 'SET', 'maxmemory', '1mb'], ['CONFIG', 'SET', 'maxmemory', '0'], 'OOM'],
  ['read-only', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE'], 'READONLY'],
  [
    'closed to writers',
    ['ACL', 'SETUSER', 'default', '-@write'],
    ['ACL', 'SETUSER', 'default', '+@all'],
    'NOPERM',
  ],
] as const;

// One way for all of them: the full run has each.
test.each(refusals.slice(0, process.env['TEST_FULL'] === '1' ? 3 : 1))(
  'a Redis that is %s: not ready with the reason; what came before and meanwhile is decided once, marked',
  async (how, begin, end, reason) => {
    const redis = disconnectedWithFile(new Redis(harness.pipeline.redisUrl));
    const roundIn = (ms: number, name: string) =>
      roundOf({ deadline: inMs(ms), zoneId: `${how}-${name}` as ZoneId });
    const call = ([name, ...args]: readonly string[]) => redis.call(name!, ...args);
    try {
      const before = roundIn(5_000, 'before');
      await publishLackingOne(before);
      await call(begin);
      const meanwhile = roundIn(1_500, 'meanwhile');
      await harness.publishRound(meanwhile);
      await harness.publishOutcomes(meanwhile.outcomes.slice(1));
      expect(await readiness()).toMatchObject({
        status: 503,
        text: expect.stringContaining(reason) as string,
      });
      const deadlines = [before, meanwhile].map(({ manifest }) => manifest.round.deadline);
      await sleep(Math.max(0, Math.max(...deadlines) + 500 - Date.now()));
      const key = `outages.aggregator:round:${roundKey(meanwhile.manifest.round)}`;
      expect(await redis.exists(key)).toBe(0);
      await call(end);
      for (const round of [before, meanwhile]) {
        const { decision, headers: sent } = await harness.decisionOf(round);
        expect(sent[headers.outage]).toBe('redis');
        expect(decision.content.coverage).toBeGreaterThan(0);
        expectOnce(round);
      }
      expect((await readiness()).status).toBe(200);
    } finally {
      await call(end);
      redis.disconnect();
    }
  },
  60_000,
);
