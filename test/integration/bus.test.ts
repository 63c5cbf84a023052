import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { deadLetter } from '#lib/bus/dead-letters';
import { connectBus, type Bus } from '#lib/bus/kafka';
import type { BusMessage, Lease, WindowedConsumer } from '#lib/bus/port';
import { RoundhouseError } from '#schemas/errors';
import { headers, topicsOf } from '#schemas/topics';
import { produceRaw } from '../support/raw-produce';
import { startStack } from '../support/stack';
import { until } from '../support/until';

const stack = startStack('bus');
const logger = pino({ level: 'silent' });
const maxMessageBytes = 1_048_576;
const kafka = new Kafka({ brokers: [...stack.brokers], clientId: 'test', logLevel: logLevel.NOTHING });
const consumers: WindowedConsumer[] = [];
let bus: Bus;
let topicCount = 0;

async function freshTopic(partitions = 1): Promise<string> {
  const topic = `${stack.topicPrefix}t${++topicCount}`;
  await bus.ensureTopics([
    { topic, partitions, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes },
  ]);
  return topic;
}

function groupOf(topic: string): string {
  return `${topic}-group`;
}

async function consume(
  topic: string,
  handle: (message: BusMessage, lease: Lease) => Promise<void>,
  options: Partial<Parameters<Bus['windowedConsumer']>[0]> = {},
): Promise<WindowedConsumer> {
  const consumer = bus.windowedConsumer({
    groupId: groupOf(topic),
    topics: [topic],
    window: 4,
    handle,
    ...options,
  });
  consumers.push(consumer);
  await consumer.start();
  return consumer;
}

async function sendTo(topic: string, texts: readonly string[], partition = 0): Promise<void> {
  const producer = await bus.producer();
  await producer.send(texts.map((text) => ({ topic, partition, key: null, value: Buffer.from(text) })));
  await producer.close();
}

async function committed(topic: string): Promise<Record<number, string>> {
  const admin = kafka.admin();
  await admin.connect();
  const [entry] = await admin.fetchOffsets({ groupId: groupOf(topic), topics: [topic] });
  await admin.disconnect();
  return Object.fromEntries(entry!.partitions.map((p) => [p.partition, p.offset]));
}

async function untilCommitted(topic: string, wanted: Record<number, string>): Promise<void> {
  const end = Date.now() + 30_000;
  while (JSON.stringify(await committed(topic)) !== JSON.stringify(wanted) && Date.now() < end)
    await sleep(50);
  expect(await committed(topic)).toEqual(wanted);
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i));
const textOf = (message: BusMessage) => message.value!.toString();

beforeAll(() => {
  bus = connectBus({ brokers: stack.brokers, clientId: 'bus-test', logger, maxMessageBytes });
});
afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
});
afterAll(() => bus.close());

describe('window and commits', () => {
  test('at most `window` in work; the committed offset is a contiguous prefix', async () => {
    const topic = await freshTopic();
    const open = new Map<string, () => void>();
    let most = 0;
    await consume(topic, (message) => {
      return new Promise<void>((resolve) => {
        open.set(textOf(message), resolve);
        most = Math.max(most, open.size);
      }).then(() => void open.delete(textOf(message)));
    });
    await sendTo(topic, numbers(10));
    await until(() => open.size === 4, 'four in work');
    expect([...open.keys()]).toEqual(['0', '1', '2', '3']);
    open.get('1')!();
    open.get('2')!();
    await sleep(300);
    // 1 and 2 are done but 0 isn't: nothing is committed (−1), and no room came up.
    expect(await committed(topic)).toEqual({ 0: '-1' });
    expect([...open.keys()]).toEqual(['0', '3']);
    open.get('0')!();
    await untilCommitted(topic, { 0: '3' }); // 0, 1, 2 are done
    await until(() => open.has('6'), '3, 4, 5, 6 in work');
    for (let i = 3; i < 10; i++) {
      await until(() => open.has(String(i)), `${i} in work`);
      open.get(String(i))!();
    }
    await untilCommitted(topic, { 0: '10' });
    expect(most).toBe(4);
  });

  test('stop waits for what is in work and commits it; what only waited comes again', async () => {
    const topic = await freshTopic();
    const seen: string[] = [];
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const hold = (message: BusMessage): Promise<void> => {
      seen.push(textOf(message));
      return held;
    };
    const first = await consume(topic, hold, { window: 2 });
    await sendTo(topic, numbers(5));
    await until(() => seen.length === 2, 'two in work');
    const stopped = first.stop();
    release();
    await stopped;
    expect(await committed(topic)).toEqual({ 0: '2' });
    await consume(topic, async (message) => void seen.push(textOf(message)));
    await until(() => seen.length === 5, 'the rest');
    expect(seen).toEqual(['0', '1', '2', '3', '4']);
  });

  test('a handler that rejects stops the consumer, is reported, and is not committed', async () => {
    const topic = await freshTopic();
    const fatal: Error[] = [];
    const handle = async (message: BusMessage): Promise<void> => {
      if (textOf(message) === '2') throw new Error('cannot do 2');
    };
    await consume(topic, handle, { window: 1, onFatal: (error) => fatal.push(error) });
    await sendTo(topic, numbers(4));
    await until(() => fatal.length > 0, 'reported');
    expect(fatal[0]!.message).toBe('cannot do 2');
    expect(await committed(topic)).toEqual({ 0: '2' });
  });

  test('a slow partition holds back nothing but itself (pain 4)', async () => {
    const topic = await freshTopic(2);
    const seen: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await consume(topic, async (message) => {
      seen.push(textOf(message));
      if (message.partition === 0) await held;
    });
    await sendTo(topic, numbers(50), 0);
    await until(() => seen.length === 4, 'the window of partition 0 is full');
    await sendTo(topic, ['other'], 1);
    await until(() => seen.includes('other'), 'partition 1 served');
    expect(seen).toHaveLength(5); // the four of partition 0, still in work, and this one
    release();
    await untilCommitted(topic, { 0: '50', 1: '1' });
  });

  test('a message into an idle topic ends the wait of the fetch (pain 4)', async () => {
    const topic = await freshTopic();
    let seen = 0;
    // Fetches wait for 60 s, which no message may.
    const consumer = await consume(topic, async () => void seen++, { maxWaitMs: 60_000 });
    const producer = await bus.producer();
    const send = (): Promise<void> => producer.send([{ topic, key: 'k', value: Buffer.from('x') }]);
    for (let i = 1; i <= 3; i++) {
      await sleep(700);
      await send();
      await until(() => seen === i, 'seen');
    }
    // kafkajs leaves the group only after its fetch: one more message ends that, too.
    const stopped = consumer.stop();
    await sleep(700);
    await send();
    await stopped;
  }, 60_000);
});

describe('positions', () => {
  test('a committed offset that retention has passed: goes on at the first message kept (pain 3)', async () => {
    const topic = await freshTopic();
    const seen: string[] = [];
    const handle = async (message: BusMessage): Promise<void> => void seen.push(textOf(message));
    await sendTo(topic, numbers(10));
    const first = await consume(topic, handle);
    await until(() => seen.length === 10, 'the first ten');
    await first.stop();
    await sendTo(
      topic,
      numbers(20).map((n) => `new ${n}`),
    );
    const admin = kafka.admin();
    await admin.connect();
    // Committed is 10; offsets 10–24 are deleted, 25–29 are kept: new 15 … new 19.
    await admin.fetchTopicOffsets(topic); // loads the topic's metadata, which deleteTopicRecords needs
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '25' }] });
    await admin.disconnect();
    seen.length = 0;
    await consume(topic, handle);
    await until(() => seen.length >= 5, 'the rest');
    await sleep(300);
    expect(seen).toEqual(['new 15', 'new 16', 'new 17', 'new 18', 'new 19']);
    await untilCommitted(topic, { 0: '30' });
  });
});

describe('group membership', () => {
  test('a handler of more than two session time-outs keeps its membership (pain 1)', async () => {
    const topic = await freshTopic();
    const seen: string[] = [];
    let assignments = 0;
    let owned = false;
    // Session 6 s (the least that brokers allow by default), handler 14 s.
    const handle = async (message: BusMessage, lease: Lease): Promise<void> => {
      seen.push(textOf(message));
      await sleep(14_000);
      owned = lease.isOwned();
    };
    const onAssigned = (): void => void assignments++;
    const consumer = await consume(topic, handle, { sessionTimeoutMs: 6_000, onAssigned });
    await sendTo(topic, ['long']);
    await until(() => seen.length === 1, 'begun');
    await until(() => consumer.inFlight() === 0, 'done');
    expect({ owned, assignments, seen }).toEqual({ owned: true, assignments: 1, seen: ['long'] });
    await untilCommitted(topic, { 0: '1' });
  }, 30_000);

  test('a consumer added mid-batch: leases end, nothing is committed after the revoke, nothing is lost (pain 2)', async () => {
    const topic = await freshTopic(4);
    const done = new Map<string, number>();
    const lostLeases: number[] = [];
    const handleSlowly = async (message: BusMessage, lease: Lease): Promise<void> => {
      await sleep(30);
      if (!lease.isOwned()) lostLeases.push(message.partition);
      const name = `${message.partition}/${textOf(message)}`;
      done.set(name, (done.get(name) ?? 0) + 1);
    };
    const revoked: number[] = [];
    const handleStuck = async (message: BusMessage, lease: Lease): Promise<void> => {
      // The first consumer hangs on one message a partition until its lease ends.
      if (textOf(message) !== '5') return handleSlowly(message, lease);
      while (lease.isOwned()) await sleep(10);
      lostLeases.push(message.partition);
    };
    await consume(topic, handleStuck, {
      onRevoked: (partitions) => revoked.push(...partitions.map((p) => p.partition)),
    });
    for (const partition of [0, 1, 2, 3]) await sendTo(topic, numbers(40), partition);
    // Messages 0–4 of each partition are committed; 5 hangs, so nothing behind it is.
    await untilCommitted(topic, { 0: '5', 1: '5', 2: '5', 3: '5' });
    let stuck = true;
    await consume(topic, async (message, lease) => {
      if (stuck) await sleep(100);
      return handleSlowly(message, lease);
    });
    stuck = false;
    expect([...new Set(revoked)].sort()).toEqual([0, 1, 2, 3]);
    await until(() => lostLeases.length >= 4, 'leases lost');
    // The second consumer owns two partitions and redoes them from the committed 5 on.
    await until(() => [...done.keys()].filter((name) => name.endsWith('/39')).length >= 2, 'two done');
    const ends = Object.values(await committed(topic)).map(Number);
    expect(Math.min(...ends)).toBe(5);
    expect([...done.values()].every((times) => times <= 2)).toBe(true);
  }, 40_000);

  test('a consumer that is closed hands its partitions over, and each message is done once', async () => {
    const topic = await freshTopic(2);
    const done: string[] = [];
    const handle = async (message: BusMessage): Promise<void> => {
      await sleep(5);
      done.push(`${message.partition}/${textOf(message)}`);
    };
    const first = await consume(topic, handle, { drainMs: 60_000 });
    for (const partition of [0, 1]) await sendTo(topic, numbers(60), partition);
    await until(() => done.length > 10, 'begun');
    await first.stop();
    await consume(topic, handle);
    await untilCommitted(topic, { 0: '60', 1: '60' });
    expect(done).toHaveLength(120);
    expect(new Set(done).size).toBe(120);
  });
});

describe('producer', () => {
  test('keeps the order within a partition over concurrent sends', async () => {
    const topic = await freshTopic();
    const producer = await bus.producer();
    const sends = numbers(500).map((text) =>
      producer.send([{ topic, partition: 0, key: null, value: Buffer.from(text) }]),
    );
    await Promise.all(sends);
    const seen: string[] = [];
    await bus.readRange({ topic, from: 'earliest', handle: (message) => seen.push(textOf(message)) });
    expect(seen).toEqual(numbers(500));
  });

  test('a message above the limit is refused at once, naming it; others of the moment pass (pain 9)', async () => {
    const topic = await freshTopic();
    const producer = await bus.producer();
    const send = (bytes: number) =>
      producer.send([{ topic, key: 'k', value: Buffer.alloc(bytes) }]).then(
        () => 'sent',
        (error: RoundhouseError) => `${error.code}: ${error.message}`,
      );
    const results = await Promise.all([send(10), send(maxMessageBytes), send(20)]);
    expect(results[0]).toBe('sent');
    expect(results[1]).toMatch(/^ROUND_TOO_LARGE: .* above the limit of 1048576 bytes$/);
    expect(results[2]).toBe('sent');
  });

  test("so is one that only the broker's topic refuses", async () => {
    const topic = await freshTopic();
    const large = connectBus({ brokers: stack.brokers, clientId: 'large', logger });
    const producer = await large.producer();
    const send = (bytes: number) => producer.send([{ topic, key: 'k', value: Buffer.alloc(bytes) }]);
    const [tooLarge, small] = await Promise.allSettled([send(2 * maxMessageBytes), send(10)]);
    expect(tooLarge).toMatchObject({ reason: { code: 'ROUND_TOO_LARGE' } });
    expect(small.status).toBe('fulfilled');
    await large.close();
  });

  test('a topic that does not exist is DEPENDENCY_ABSENT after the delivery time-out', async () => {
    const producer = await bus.producer({ deliveryTimeoutMs: 500 });
    const send = producer.send([{ topic: `${stack.topicPrefix}nowhere`, key: 'k', value: null }]);
    await expect(send).rejects.toMatchObject({ code: 'DEPENDENCY_ABSENT' });
  });
});

describe('a producer that lost its sequence (pain 5)', () => {
  async function producerIdIn(topic: string): Promise<string> {
    const consumer = kafka.consumer({ groupId: `${topic}-ids`, maxWaitTimeInMs: 100 });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const id = await new Promise<string>((resolve, reject) => {
      const eachMessage = async ({ message }: { message: object }): Promise<void> =>
        resolve(String((message as { batchContext: { producerId: unknown } }).batchContext.producerId));
      consumer.run({ eachMessage }).catch(reject);
    });
    await consumer.disconnect();
    return id;
  }

  test('is made anew: the broker answers OUT_OF_ORDER_SEQUENCE, the send still succeeds, nothing is lost', async () => {
    const topic = await freshTopic();
    const reports: string[] = [];
    const watched = pino({ level: 'warn' }, { write: (line: string) => reports.push(line) });
    const own = connectBus({ brokers: stack.brokers, clientId: 'sequence-test', logger: watched });
    const producer = await own.producer();
    const send = (text: string) =>
      producer.send([{ topic, partition: 0, key: null, value: Buffer.from(text) }]);
    await send('a'); // sequence 0
    const producerId = await producerIdIn(topic);
    const theft = { topic, producerId, producerEpoch: 0, firstSequence: 1, texts: ['x', 'y', 'z'] };
    expect(await produceRaw(stack.brokers[0]!, theft)).toBe(0); // sequences 1, 2, 3 are used up
    await send('b'); // would be sequence 1 again
    await Promise.all([send('c'), send('d')]);
    const seen: string[] = [];
    await bus.readRange({ topic, from: 'earliest', handle: (message) => seen.push(textOf(message)) });
    expect(seen).toEqual(['a', 'x', 'y', 'z', 'b', 'c', 'd']);
    expect(reports.join()).toMatch(/out of order sequence number/);
    await own.close();
  });
});

describe('readers', () => {
  test('readRange reads to the end of the call, from the start or from a timestamp', async () => {
    const topic = await freshTopic(3);
    for (const partition of [0, 1, 2]) await sendTo(topic, ['old'], partition);
    await sleep(50);
    const between = Date.now() as never;
    await sleep(50);
    for (const partition of [0, 2]) await sendTo(topic, ['new'], partition);
    const read = async (from: Parameters<Bus['readRange']>[0]['from']) => {
      const seen: string[] = [];
      await bus.readRange({ topic, from, handle: (m) => seen.push(`${m.partition}${textOf(m)}`) });
      return seen.sort();
    };
    expect(await read('earliest')).toEqual(['0new', '0old', '1old', '2new', '2old']);
    expect(await read({ timestamp: between })).toEqual(['0new', '2new']);
    expect(await read('latest')).toEqual([]);
  });

  test('followTopic hands out what comes after the call, on all partitions, to every follower', async () => {
    const topic = await freshTopic(2);
    await sendTo(topic, ['before']);
    const seen: string[][] = [[], []];
    const followers = await Promise.all(
      seen.map((list) => bus.followTopic({ topic, from: 'latest', handle: (m) => list.push(textOf(m)) })),
    );
    await sendTo(topic, ['a'], 0);
    await sendTo(topic, ['b'], 1);
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
    const topic = `${stack.topicPrefix}raced`;
    const spec = { topic, partitions: 2, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes };
    await Promise.all([bus.ensureTopics([spec]), bus.ensureTopics([spec]), bus.ensureTopics([spec])]);
    await sendTo(topic, ['x'], 1);
  });

  test("a topic that keeps the producer's time is refused", async () => {
    const topic = `${stack.topicPrefix}create-time`;
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    await admin.disconnect();
    const spec = { topic, partitions: 1, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes };
    await expect(bus.ensureTopics([spec])).rejects.toThrow(/message.timestamp.type.*LogAppendTime/);
  });

  const probe = { topicPrefix: stack.topicPrefix, replicationFactor: 1, maxClockSkewMs: 30_000 };

  test('the clock skew is measured against the broker; above a limit it is refused', async () => {
    // The broker is on this machine. Set forward by a minute, our clock is beyond twice the limit of 30 s.
    expect(Number.isInteger(await bus.measureClockSkewMs(probe))).toBe(true);
    const ahead = Date.now;
    Date.now = () => ahead() + 60_000;
    try {
      await expect(bus.measureClockSkewMs(probe)).rejects.toMatchObject({ code: 'CLOCK_SKEWED' });
    } finally {
      Date.now = ahead;
    }
  });

  test("the probe's topic has our prefix and as many replicas as the others", async () => {
    const topicPrefix = `${stack.topicPrefix}probe.`;
    // One broker can't hold two replicas: the factor gets there.
    await expect(
      bus.measureClockSkewMs({ ...probe, topicPrefix, replicationFactor: 2 }),
    ).rejects.toMatchObject({ errors: [{ type: 'INVALID_REPLICATION_FACTOR' }] });
    await bus.measureClockSkewMs({ ...probe, topicPrefix });
    const admin = kafka.admin();
    await admin.connect();
    const topics = await admin.listTopics();
    await admin.disconnect();
    expect(topics).toContain(`${topicPrefix}roundhouse.clock-probe`);
    expect(topics).not.toContain('roundhouse.clock-probe');
  }, 30_000);

  test('an absent broker is waited for, then DEPENDENCY_ABSENT with its address', async () => {
    const absent = connectBus({ brokers: ['127.0.0.1:1'], clientId: 'absent', logger });
    const wait = absent.waitUntilReady(1_500);
    await expect(wait).rejects.toMatchObject({ code: 'DEPENDENCY_ABSENT' });
    await expect(wait).rejects.toThrow('Kafka at 127.0.0.1:1 did not answer in 1500 ms');
  });
});

test('a dead letter keeps key and bytes; where it came from and why stand in headers', async () => {
  const topics = topicsOf(stack.topicPrefix);
  const source = await freshTopic();
  await bus.ensureTopics([
    { topic: topics.deadLetters, partitions: 1, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes },
  ]);
  const producer = await bus.producer();
  const key = Buffer.from([0x00, 0xff, 0x1f]);
  const value = Buffer.from([0xc3, 0x01, 0xde, 0xad]);
  await producer.send([{ topic: source, key, value, headers: { traceparent: '00-abc' } }]);
  const letters: BusMessage[] = [];
  const error = new RoundhouseError('SCHEMA_UNKNOWN', 'no schema with fingerprint dead');
  await bus.readRange({
    topic: source,
    from: 'earliest',
    handle: (message) => void deadLetter(producer, topics, message, error),
  });
  await until(() => true, 'sent');
  while (letters.length === 0) {
    await bus.readRange({ topic: topics.deadLetters, from: 'earliest', handle: (m) => letters.push(m) });
  }
  expect(letters[0]!.key).toEqual(key);
  expect(letters[0]!.value).toEqual(value);
  expect({ ...letters[0]!.headers }).toEqual({
    traceparent: '00-abc',
    [headers.deadLetterCode]: 'SCHEMA_UNKNOWN',
    [headers.deadLetterReason]: 'no schema with fingerprint dead',
    [headers.deadLetterTopic]: source,
    [headers.deadLetterPartition]: '0',
    [headers.deadLetterOffset]: '0',
  });
});
