import { CompressionTypes, Kafka, logLevel, type Producer } from 'kafkajs';
import { pino } from 'pino';
import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import type { BusMessage, BusProducer } from '#lib/bus/port';
import { createTelemetry } from '#lib/telemetry';
import { RoundhouseError } from '#schemas/errors';
import { headers, shardKey, topicsOf } from '#schemas/topics';
import { outcomesCodec } from '#schemas/codec';
import type { ShardKey } from '#schemas/domain';
import { DeadLetterBox } from '#services/aggregator/consume/dead-letter-box';
import { aggregatorEvents } from '#services/aggregator/events';
import { workerEvents } from '#services/inference-worker/events';
import { ShardConsumer } from '#services/inference-worker/shard-consumer';
import { startStack } from '../support/stack';

const stack = startStack('dead-letters');
const logger = pino({ level: 'silent' });
const maxMessageBytes = 200_000;
const topics = topicsOf(stack.topicPrefix);
const telemetry = () => createTelemetry({ service: 'test', logLevel: 'silent' });
const lease = { topic: '', partition: 0, isOwned: () => true };
/** With the batch's overhead of 61 bytes and the record's, it is a few bytes below the limit. */
const largest = Buffer.alloc(maxMessageBytes - 220, 1);
const { None: none, GZIP: gzip } = CompressionTypes;
/** A few hundred bytes on its way here, and with its headroom above the limit on its way on. */
const packed = Buffer.alloc(maxMessageBytes + 100_000);
let bus: Bus;
let producer: BusProducer;
let raw: Producer;

beforeAll(async () => {
  bus = connectBus({ brokers: stack.brokers, clientId: 'dead-letters', logger, maxMessageBytes });
  const retentionMs = 3_600_000;
  const settings = { partitions: 1, replicationFactor: 1, maxMessageBytes };
  const kept = {
    roundRetentionMs: retentionMs,
    decisionRetentionMs: retentionMs,
    deadLetterRetentionMs: null,
  };
  await bus.ensureTopics(topicSpecs(topics, { ...settings, ...kept }));
  producer = await bus.producer();
  const kafka = new Kafka({ brokers: [...stack.brokers], clientId: 'raw', logLevel: logLevel.NOTHING });
  raw = kafka.producer();
  await raw.connect();
}, 60_000);
afterAll(async () => {
  await raw.disconnect();
  await bus.close();
});

/** As it stands on its topic; its headers come back as text. */
async function sent(topic: string, key: string, value: Buffer, compression = none): Promise<BusMessage> {
  await raw.send({ topic, compression, messages: [{ key, value, headers: { own: 'x' } }] });
  const read: BusMessage[] = [];
  await bus.readRange({ topic, from: 'earliest', handle: (message) => read.push(message) });
  return read.at(-1)!;
}

async function lettersOf({ topic, offset }: BusMessage): Promise<BusMessage[]> {
  const letters: BusMessage[] = [];
  const handle = (letter: BusMessage) => void letters.push(letter);
  await bus.readRange({ topic: topics.deadLetters, from: 'earliest', handle });
  return letters.filter(
    ({ headers: h }) =>
      h[headers.deadLetterTopic] === topic && h[headers.deadLetterOffset] === String(offset),
  );
}

const boxOf = (to = topics) => new DeadLetterBox(producer, to, aggregatorEvents(telemetry()));
const fault = new RoundhouseError('PAYLOAD_INVALID', 'unreadable');

test('the largest message that its topic takes fits into a dead letter, with the reason', async () => {
  const message = await sent(topics.rounds, 'k', largest);
  await boxOf().put(message, lease, fault);
  const [letter] = await lettersOf(message);
  expect(letter!.value).toEqual(largest);
  expect(letter!.headers).toMatchObject({ own: 'x', [headers.deadLetterReason]: 'unreadable' });
}, 30_000);

test('one that was compressed and is larger leaves its bytes behind; key and reason are kept', async () => {
  const message = await sent(topics.outcomes, 'k', packed, gzip);
  await boxOf().put(message, lease, fault);
  const [letter] = await lettersOf(message);
  expect(letter).toMatchObject({ key: Buffer.from('k'), value: null });
  expect(letter!.headers).not.toHaveProperty('own');
  expect(letter!.headers).toMatchObject({
    [headers.deadLetterCode]: 'PAYLOAD_INVALID',
    [headers.deadLetterReason]: 'too large for a dead letter, its 300000 bytes are not kept; unreadable',
  });
}, 30_000);

test('a topic that takes no letter at all holds nothing up', async () => {
  const tiny = topicsOf(`${stack.topicPrefix}tiny.`);
  const limits = { partitions: 1, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes: 100 };
  await bus.ensureTopics([{ topic: tiny.deadLetters, ...limits }]);
  const message = await sent(topics.rounds, 'k', largest);
  await expect(boxOf(tiny).put(message, lease, fault)).resolves.toBeUndefined();
}, 30_000);

test('the worker goes on behind a shard that is too large for a dead letter, and fails it for its round', async () => {
  const ids = { tenantId: 't', runId: 'r', roundId: 'large', shardIndex: 3 } as unknown as ShardKey;
  const message = await sent(topics.shards, shardKey(ids), packed, gzip);
  const events = workerEvents(telemetry());
  const parts = { placement: {} as never, whyHandedOver: () => null, startMarginMs: 0 };
  await new ShardConsumer({ topics, producer, events, ...parts }).handle(message, lease);
  expect(await lettersOf(message)).toHaveLength(1);
  const outcomes: BusMessage[] = [];
  const handle = (outcome: BusMessage) => void outcomes.push(outcome);
  await bus.readRange({ topic: topics.outcomes, from: 'earliest', handle });
  const failed = outcomesCodec.decode(outcomes.at(-1)!.value!);
  expect(failed).toMatchObject({ ...ids, status: 'failed' });
}, 30_000);
