import { pino } from 'pino';
import { deadLetter } from '#lib/bus/dead-letters';
import { connectBus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { headers, topicsOf } from '#schemas/topics';
import { produceRaw } from '../../bench/drill/raw-produce';
import { until } from '../support/until';
import { BusBench, maxMessageBytes, numbers, textOf } from './bus-harness';

const bench = new BusBench('bus-producer');

afterAll(() => bench.bus.close());

describe('producer', () => {
  test('keeps the order within a partition over concurrent sends', async () => {
    const topic = await bench.freshTopic();
    const producer = await bench.bus.producer();
    const sends = numbers(500).map((text) =>
      producer.send([{ topic, partition: 0, key: null, value: Buffer.from(text) }]),
    );
    await Promise.all(sends);
    const seen: string[] = [];
    await bench.bus.readRange({ topic, from: 'earliest', handle: (message) => seen.push(textOf(message)) });
    expect(seen).toEqual(numbers(500));
  });

  test('a message above the limit is refused at once, naming it; others of the moment pass (pain 9)', async () => {
    const topic = await bench.freshTopic();
    const producer = await bench.bus.producer();
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
    const topic = await bench.freshTopic();
    const large = connectBus({
      brokers: bench.stack.brokers,
      clientId: 'large',
      logger: pino({ level: 'silent' }),
    });
    const producer = await large.producer();
    const send = (bytes: number) => producer.send([{ topic, key: 'k', value: Buffer.alloc(bytes) }]);
    const [tooLarge, small] = await Promise.allSettled([send(2 * maxMessageBytes), send(10)]);
    expect(tooLarge).toMatchObject({ reason: { code: 'ROUND_TOO_LARGE' } });
    expect(String((tooLarge as PromiseRejectedResult).reason.message)).toMatch(
      /^a message of \d+ bytes for .* is above the limit of the topic or the broker \(max\.message\.bytes\)$/,
    );
    expect(small.status).toBe('fulfilled');
    await large.close();
  });

  test('messages of one send that only together are too large for the topic go one by one, in order', async () => {
    const topic = await bench.freshTopic();
    const producer = await bench.bus.producer();
    // 3 × 500,000 bytes in one batch of a partition, limit 1,048,576.
    const values = [1, 2, 3].map((i) => Buffer.alloc(500_000, i));
    await producer.send(values.map((value) => ({ topic, key: 'k', value })));
    const seen: number[] = [];
    await bench.bus.readRange({ topic, from: 'earliest', handle: ({ value }) => seen.push(value![0]!) });
    expect(seen).toEqual([1, 2, 3]);
  });

  test('what has not begun in time is not sent at all; others of the moment are', async () => {
    const topic = await bench.freshTopic();
    const producer = await bench.bus.producer();
    const send = (text: string, beginBy?: UnixMs) =>
      producer.send([{ topic, partition: 0, key: null, value: Buffer.from(text) }], beginBy && { beginBy });
    const past = (Date.now() - 1) as UnixMs;
    const sends = [send('a'), send('too late', past), send('b', (Date.now() + 60_000) as UnixMs)];
    const [, late] = await Promise.allSettled(sends);
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'DEADLINE_EXCEEDED' } });
    await send('c');
    const seen: string[] = [];
    await bench.bus.readRange({ topic, from: 'earliest', handle: (message) => seen.push(textOf(message)) });
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  test('an attempt that failed is not made again when it is too late', async () => {
    const producer = await bench.bus.producer();
    const nowhere = { topic: `${bench.stack.topicPrefix}nowhere`, key: 'k', value: null };
    const send = producer.send([nowhere], { beginBy: (Date.now() + 200) as UnixMs });
    await expect(send).rejects.toMatchObject({
      code: expect.stringMatching(/^DEPENDENCY_ABSENT$|^DEADLINE_EXCEEDED$/),
    });
  });

  test('a topic that does not exist is DEPENDENCY_ABSENT after the delivery time-out', async () => {
    const producer = await bench.bus.producer({ deliveryTimeoutMs: 500 });
    const send = producer.send([{ topic: `${bench.stack.topicPrefix}nowhere`, key: 'k', value: null }]);
    await expect(send).rejects.toMatchObject({ code: 'DEPENDENCY_ABSENT' });
  });
});

describe('a producer that lost its sequence (pain 5)', () => {
  async function producerIdIn(topic: string): Promise<string> {
    const consumer = bench.kafka.consumer({ groupId: `${topic}-ids`, maxWaitTimeInMs: 100 });
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
    const topic = await bench.freshTopic();
    const reports: string[] = [];
    const watched = pino({ level: 'warn' }, { write: (line: string) => reports.push(line) });
    const own = connectBus({ brokers: bench.stack.brokers, clientId: 'sequence-test', logger: watched });
    const producer = await own.producer();
    const send = (text: string) =>
      producer.send([{ topic, partition: 0, key: null, value: Buffer.from(text) }]);
    await send('a'); // sequence 0
    const producerId = await producerIdIn(topic);
    const theft = { topic, producerId, producerEpoch: 0, firstSequence: 1, texts: ['x', 'y', 'z'] };
    expect(await produceRaw(bench.stack.brokers[0]!, theft)).toBe(0); // sequences 1, 2, 3 are used up
    await send('b'); // would be sequence 1 again
    await Promise.all([send('c'), send('d')]);
    const seen: string[] = [];
    await bench.bus.readRange({ topic, from: 'earliest', handle: (message) => seen.push(textOf(message)) });
    expect(seen).toEqual(['a', 'x', 'y', 'z', 'b', 'c', 'd']);
    expect(reports.join()).toMatch(/out of order sequence number/);
    await own.close();
  });
});

test('a dead letter keeps key and bytes; where it came from and why stand in headers', async () => {
  const topics = topicsOf(bench.stack.topicPrefix);
  const source = await bench.freshTopic();
  await bench.makeTopic(topics.deadLetters);
  const producer = await bench.bus.producer();
  const key = Buffer.from([0x00, 0xff, 0x1f]);
  const value = Buffer.from([0xc3, 0x01, 0xde, 0xad]);
  await producer.send([{ topic: source, key, value, headers: { traceparent: '00-abc' } }]);
  const letters: BusMessage[] = [];
  const error = new RoundhouseError('SCHEMA_UNKNOWN', 'no schema with fingerprint dead');
  await bench.bus.readRange({
    topic: source,
    from: 'earliest',
    handle: (message) => void deadLetter(producer, topics, message, error),
  });
  await until(() => true, 'sent');
  while (letters.length === 0) {
    await bench.bus.readRange({
      topic: topics.deadLetters,
      from: 'earliest',
      handle: (m) => letters.push(m),
    });
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
