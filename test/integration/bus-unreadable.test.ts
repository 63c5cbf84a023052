import { CompressionTypes, type Producer } from 'kafkajs';
import { MAX_DECOMPRESSED_BYTES } from '#lib/bus/compression';
import type { BusMessage } from '#lib/bus/port';
import { until } from '../support/until';
import { BusBench } from './bus-harness';

const bench = new BusBench('bus-unreadable');
let producer: Producer;
let topic: string;

beforeAll(async () => {
  producer = bench.kafka.producer();
  await producer.connect();
}, 30_000);
beforeEach(async () => {
  topic = await bench.freshTopic();
});
afterEach(() => bench.stopConsumers());
afterAll(async () => {
  await producer.disconnect();
  await bench.bus.close();
});

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
  await bench.consume(topic, handle);
  await until(() => seen.some(({ value }) => value?.toString() === 'after'), 'the message behind the batch');
  return seen;
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
  await bench.untilCommitted(topic, { 0: '4' });
}, 60_000);

test('so is one with a record of thousands of headers, for which kafkajs would take minutes', async () => {
  const headers = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`h${i}`, '']));
  const seen = await consumeAround([{ value: 'x', headers }]);
  expect(shown(seen)[1]).toEqual([
    1,
    expect.stringMatching(/offset 1 .*: a record has 20000 headers, above the limit of 1000$/),
  ]);
  await bench.untilCommitted(topic, { 0: '3' });
}, 60_000);

test('readers pass it, too', async () => {
  await sendBatch([{ value: Buffer.alloc(MAX_DECOMPRESSED_BYTES) }]);
  await sendBatch([{ value: 'after' }]);
  const seen: BusMessage[] = [];
  const handle = (message: BusMessage) => void seen.push(message);
  expect(await bench.bus.readRange({ topic, from: 'earliest', handle, stallTimeoutMs: 10_000 })).toBe(2);
  expect(shown(seen)).toEqual([
    [0, expect.stringMatching(/^the record batch of offset 0 can't be read/)],
    [1, 'after'],
  ]);
}, 60_000);
