import { setTimeout as sleep } from 'node:timers/promises';
import { CompressionTypes, Kafka, logLevel, type Producer } from 'kafkajs';
import { pino } from 'pino';
import { MAX_DECOMPRESSED_BYTES } from '#lib/bus/compression';
import { connectBus, type Bus } from '#lib/bus/kafka';
import type { BusMessage, WindowedConsumer } from '#lib/bus/port';
import { startStack } from '../support/stack';

const stack = startStack('bus-unreadable');
const logger = pino({ level: 'silent' });
const kafka = new Kafka({ brokers: [...stack.brokers], clientId: 'test', logLevel: logLevel.NOTHING });
let bus: Bus;
let producer: Producer;
let topic: string;
let topicCount = 0;
let consumer: WindowedConsumer | null = null;

beforeAll(async () => {
  bus = connectBus({ brokers: stack.brokers, clientId: 'bus-unreadable', logger });
  producer = kafka.producer();
  await producer.connect();
}, 30_000);
beforeEach(async () => {
  topic = `${stack.topicPrefix}t${++topicCount}`;
  const retentionMs = 600_000;
  const maxMessageBytes = 1_048_576;
  await bus.ensureTopics([{ topic, partitions: 1, replicationFactor: 1, retentionMs, maxMessageBytes }]);
});
afterEach(async () => {
  await consumer?.stop();
  consumer = null;
});
afterAll(async () => {
  await producer.disconnect();
  await bus.close();
});

async function until(done: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!done()) {
    if (Date.now() > end) throw new Error(`not in 20 s: ${what}`);
    await sleep(5);
  }
}

type Messages = Parameters<Producer['send']>[0]['messages'];
const sendBatch = (messages: Messages) =>
  producer.send({ topic, compression: CompressionTypes.GZIP, messages });

/** Sends a message, the batch and a message; resolves when the consumer has seen the last one. */
async function consumeAround(batch: Messages): Promise<BusMessage[]> {
  await sendBatch([{ value: 'before' }]);
  await sendBatch(batch);
  await sendBatch([{ value: 'after' }]);
  const seen: BusMessage[] = [];
  const handle = async (message: BusMessage) => void seen.push(message);
  consumer = bus.windowedConsumer({ groupId: `${topic}-group`, topics: [topic], window: 4, handle });
  await consumer.start();
  await until(() => seen.some(({ value }) => value?.toString() === 'after'), 'the message behind the batch');
  return seen;
}

async function untilCommitted(offset: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  let found = '';
  for (const end = Date.now() + 5_000; found !== offset && Date.now() < end; await sleep(50)) {
    const [entry] = await admin.fetchOffsets({ groupId: `${topic}-group`, topics: [topic] });
    found = entry!.partitions[0]!.offset;
  }
  await admin.disconnect();
  expect(found).toBe(offset);
}

const shown = (messages: readonly BusMessage[]) =>
  messages.map(({ offset, value, unreadable }) => [Number(offset), value?.toString() ?? unreadable]);

test('a batch that grows beyond the limit is handed out once, with its offsets and the reason, and passed', async () => {
  // 68 kB for the broker. With the key and the overhead it is above the limit; offsets 1 and 2.
  const seen = await consumeAround([{ value: 'x' }, { value: Buffer.alloc(MAX_DECOMPRESSED_BYTES) }]);
  const reason = expect.stringMatching(
    /^the record batch of offsets 1 to 2 can't be read and is skipped: .*67108864/,
  );
  expect(shown(seen)).toEqual([
    [0, 'before'],
    [2, reason],
    [3, 'after'],
  ]);
  expect(seen[1]).toMatchObject({ key: null, value: null, partition: 0 });
  expect(Math.abs(seen[1]!.timestamp - Date.now())).toBeLessThan(60_000);
  await untilCommitted('4');
}, 60_000);

test('so is one with a record of thousands of headers, for which kafkajs would take minutes', async () => {
  const headers = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`h${i}`, '']));
  const seen = await consumeAround([{ value: 'x', headers }]);
  expect(shown(seen)[1]).toEqual([
    1,
    expect.stringMatching(/offset 1 .*: a record has 20000 headers, above the limit of 1000$/),
  ]);
  await untilCommitted('3');
}, 60_000);

test('readers pass it, too', async () => {
  await sendBatch([{ value: Buffer.alloc(MAX_DECOMPRESSED_BYTES) }]);
  await sendBatch([{ value: 'after' }]);
  const seen: BusMessage[] = [];
  const handle = (message: BusMessage) => void seen.push(message);
  expect(await bus.readRange({ topic, from: 'earliest', handle, stallTimeoutMs: 10_000 })).toBe(2);
  expect(shown(seen)).toEqual([
    [0, expect.stringMatching(/^the record batch of offset 0 can't be read/)],
    [1, 'after'],
  ]);
}, 60_000);
