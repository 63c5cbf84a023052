import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { until } from '../support/until';
import { BusBench, maxMessageBytes, textOf } from './bus-harness';

const bench = new BusBench('bus-topics');

afterAll(() => bench.bus.close());

describe('readers', () => {
  test('readRange reads to the end of the call, from the start or from a timestamp', async () => {
    const topic = await bench.freshTopic(3);
    for (const partition of [0, 1, 2]) await bench.sendTo(topic, ['old'], partition);
    await sleep(50);
    const between = Date.now() as never;
    await sleep(50);
    for (const partition of [0, 2]) await bench.sendTo(topic, ['new'], partition);
    const read = async (from: Parameters<Bus['readRange']>[0]['from']) => {
      const seen: string[] = [];
      await bench.bus.readRange({ topic, from, handle: (m) => seen.push(`${m.partition}${textOf(m)}`) });
      return seen.sort();
    };
    expect(await read('earliest')).toEqual(['0new', '0old', '1old', '2new', '2old']);
    expect(await read({ timestamp: between })).toEqual(['0new', '2new']);
    expect(await read('latest')).toEqual([]);
  });

  test('followTopic hands out what comes after the call, on all partitions, to every follower', async () => {
    const topic = await bench.freshTopic(2);
    await bench.sendTo(topic, ['before']);
    const seen: string[][] = [[], []];
    const followers = await Promise.all(
      seen.map((list) =>
        bench.bus.followTopic({ topic, from: 'latest', handle: (m) => list.push(textOf(m)) }),
      ),
    );
    await bench.sendTo(topic, ['a'], 0);
    await bench.sendTo(topic, ['b'], 1);
    await until(() => seen.every((list) => list.length === 2), 'both saw both');
    expect(seen.map((list) => list.sort())).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    await Promise.all(followers.map((follower) => follower.close()));
  });
});

describe('topics and clocks', () => {
  test('several processes make the same topics at once', async () => {
    const topic = `${bench.stack.topicPrefix}raced`;
    const spec = { topic, partitions: 2, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes };
    await Promise.all([
      bench.bus.ensureTopics([spec]),
      bench.bus.ensureTopics([spec]),
      bench.bus.ensureTopics([spec]),
    ]);
    await bench.sendTo(topic, ['x'], 1);
  });

  test("a topic that keeps the producer's time is refused", async () => {
    const topic = `${bench.stack.topicPrefix}create-time`;
    await bench.asAdmin((admin) =>
      admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true }),
    );
    const spec = { topic, partitions: 1, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes };
    await expect(bench.bus.ensureTopics([spec])).rejects.toThrow(/message.timestamp.type.*LogAppendTime/);
  });

  const probe = { topicPrefix: bench.stack.topicPrefix, replicationFactor: 1, maxClockSkewMs: 30_000 };

  test('the clock skew is measured against the broker; above a limit it is refused', async () => {
    // The broker is on this machine. Set forward by a minute, our clock is beyond twice the limit of 30 s.
    expect(Number.isInteger(await bench.bus.measureClockSkewMs(probe))).toBe(true);
    const ahead = Date.now;
    Date.now = () => ahead() + 60_000;
    try {
      await expect(bench.bus.measureClockSkewMs(probe)).rejects.toMatchObject({ code: 'CLOCK_SKEWED' });
    } finally {
      Date.now = ahead;
    }
  });

  test("the probe's topic has our prefix and as many replicas as the others", async () => {
    const topicPrefix = `${bench.stack.topicPrefix}probe.`;
    // One broker can't hold two replicas: the factor gets there.
    await expect(
      bench.bus.measureClockSkewMs({ ...probe, topicPrefix, replicationFactor: 2 }),
    ).rejects.toMatchObject({ errors: [{ type: 'INVALID_REPLICATION_FACTOR' }] });
    await bench.bus.measureClockSkewMs({ ...probe, topicPrefix });
    const topics = await bench.asAdmin((admin) => admin.listTopics());
    expect(topics).toContain(`${topicPrefix}roundhouse.clock-probe`);
    expect(topics).not.toContain('roundhouse.clock-probe');
  }, 30_000);

  test('an absent broker is waited for, then DEPENDENCY_ABSENT with its address', async () => {
    const absent = connectBus({
      brokers: ['127.0.0.1:1'],
      clientId: 'absent',
      logger: pino({ level: 'silent' }),
    });
    const wait = absent.waitUntilReady(1_500);
    await expect(wait).rejects.toMatchObject({ code: 'DEPENDENCY_ABSENT' });
    await expect(wait).rejects.toThrow('Kafka at 127.0.0.1:1 did not answer in 1500 ms');
  });
});
