import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '#lib/bus/kafka';
import type { BusMessage, BusProducer, WindowedConsumer } from '#lib/bus/port';
import { topicSpecs } from '#lib/bus/kafka';
import { topicsOf, type Topics } from '#schemas/topics';

/** Bytes of the messages of one round, as the real pipeline has them. */
export interface MessageSizes {
  readonly shards: readonly number[];
  readonly manifest: number;
  readonly outcomes: readonly number[];
  readonly decision: number;
}

export interface BareChainOptions {
  readonly bus: Bus;
  readonly topicPrefix: string;
  readonly sizes: MessageSizes;
  readonly roundsPerSecond: number;
  readonly seconds: number;
}

const settings = {
  partitions: 4,
  replicationFactor: 1,
  maxMessageBytes: 4 * 1024 * 1024,
  roundRetentionMs: 600_000,
  decisionRetentionMs: 600_000,
  deadLetterRetentionMs: 600_000,
};

const roundOf = (message: BusMessage): string => message.key?.toString('latin1').split('/')[0] ?? '';

/**
 * The probe that the pipeline is measured against: the same hops with messages of the same sizes, an
 * echo in place of the worker and a counter in place of the aggregator, all in this process. Returns for
 * each round the milliseconds from the first send to the broker's append time of its decision.
 */
export async function measureBareChain(options: BareChainOptions): Promise<number[]> {
  const { bus, sizes } = options;
  const topics = topicsOf(options.topicPrefix);
  await bus.ensureTopics(topicSpecs(topics, settings));
  const producer = await bus.producer();
  const startedAt = new Map<string, number>();
  const results: number[] = [];
  const consumers = [echoWorker(options, topics, producer), countingAggregator(options, topics, producer)];
  for (const consumer of consumers) await consumer.start();
  const follower = await bus.followTopic({
    topic: topics.decisions,
    from: 'latest',
    handle: (message) => results.push(message.timestamp - (startedAt.get(roundOf(message)) ?? NaN)),
  });
  const count = Math.ceil(options.seconds * options.roundsPerSecond);
  for (let index = 0; index < count; index++) {
    startedAt.set(`${index}`, Date.now());
    void sendRound(producer, topics, sizes, `${index}`);
    await sleep(1000 / options.roundsPerSecond);
  }
  for (let waited = 0; results.length < count && waited < 10_000; waited += 50) await sleep(50);
  await follower.close();
  for (const consumer of consumers) await consumer.stop();
  await producer.close();
  return results;
}

async function sendRound(
  producer: BusProducer,
  topics: Topics,
  sizes: MessageSizes,
  round: string,
): Promise<void> {
  await producer.send(
    sizes.shards.map((bytes, shard) => ({
      topic: topics.shards,
      key: `${round}/${shard}`,
      value: Buffer.alloc(bytes),
    })),
  );
  await producer.send([{ topic: topics.rounds, key: round, value: Buffer.alloc(sizes.manifest) }]);
}

function echoWorker(
  { bus, topicPrefix, sizes }: BareChainOptions,
  topics: Topics,
  producer: BusProducer,
): WindowedConsumer {
  return bus.windowedConsumer({
    groupId: `${topicPrefix}echo`,
    topics: [topics.shards],
    window: 8,
    handle: async (message) => {
      const shard = Number(message.key?.toString('latin1').split('/')[1]);
      const value = Buffer.alloc(sizes.outcomes[shard] ?? 0);
      await producer.send([{ topic: topics.outcomes, key: roundOf(message), value }]);
    },
  });
}

function countingAggregator(
  { bus, topicPrefix, sizes }: BareChainOptions,
  topics: Topics,
  producer: BusProducer,
): WindowedConsumer {
  const arrived = new Map<string, number>();
  const parts = sizes.outcomes.length + 1;
  return bus.windowedConsumer({
    groupId: `${topicPrefix}count`,
    topics: [topics.rounds, topics.outcomes],
    window: 64,
    handle: async (message) => {
      const round = roundOf(message);
      const count = (arrived.get(round) ?? 0) + 1;
      arrived.set(round, count);
      if (count < parts) return;
      arrived.delete(round);
      await producer.send([{ topic: topics.decisions, key: round, value: Buffer.alloc(sizes.decision) }]);
    },
  });
}
