import type { createKafka } from '#lib/bus/kafka-client';
import { produceRaw } from './raw-produce';
import { until } from './until';

/** Whoever writes to all partitions while they are read is asked again. */
const mostAttempts = 5;

type Kafka = ReturnType<typeof createKafka>;

interface LastBatch {
  readonly partition: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly nextSequence: number;
}

interface BatchContext {
  readonly producerId: unknown;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly firstOffset: unknown;
  readonly lastOffsetDelta: number;
}

/** Of each partition that has messages, the offset behind the last. */
async function endsOf(kafka: Kafka, topic: string): Promise<Map<number, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    const filled = offsets.filter(({ low, high }) => BigInt(high) > BigInt(low));
    return new Map(filled.map(({ partition, high }) => [partition, BigInt(high)]));
  } finally {
    await admin.disconnect();
  }
}

/** Of each partition, who wrote the last batch and the sequence number that is theirs next. */
async function lastBatches(kafka: Kafka, topic: string): Promise<LastBatch[]> {
  const ends = await endsOf(kafka, topic);
  const consumer = kafka.consumer({ groupId: `thief-${process.pid}-${Date.now()}`, maxWaitTimeInMs: 100 });
  const found = new Map<number, LastBatch>();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: ({ partition, message }) => {
      if (BigInt(message.offset) + 1n >= (ends.get(partition) ?? 0n)) ends.delete(partition);
      const context = (message as unknown as { batchContext: BatchContext }).batchContext;
      const producerId = String(context.producerId);
      const nextSequence = context.firstSequence + context.lastOffsetDelta + 1;
      if (producerId !== '-1') {
        found.set(partition, { partition, producerId, producerEpoch: context.producerEpoch, nextSequence });
      }
      return Promise.resolve();
    },
  });
  await until(() => ends.size === 0, `all of ${topic} is read`).finally(() => consumer.disconnect());
  return [...found.values()];
}

/**
 * Writes three messages of nobody under the id of whoever wrote last to each partition: that producer's next batch there is
 * out of order. Resolves to the number of partitions; one that was written to meanwhile is not among them.
 */
export async function stealSequence(kafka: Kafka, broker: string, topic: string): Promise<number> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const stolen = await tryToSteal(kafka, broker, topic);
    if (stolen > 0) return stolen;
  }
  return 0;
}

async function tryToSteal(kafka: Kafka, broker: string, topic: string): Promise<number> {
  const texts = ['not', 'a', 'round'];
  const codes: number[] = [];
  for (const { partition, producerId, producerEpoch, nextSequence } of await lastBatches(kafka, topic)) {
    const batch = { topic, partition, producerId, producerEpoch, firstSequence: nextSequence, texts };
    codes.push(await produceRaw(broker, batch));
  }
  return codes.filter((code) => code === 0).length;
}
