import type { createKafka } from '#lib/bus/kafka-client';
import { produceRaw } from './raw-produce';

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

/** Of each partition, who wrote the last batch and the sequence number that is theirs next. */
async function lastBatches(kafka: Kafka, topic: string, quietMs = 1_000): Promise<LastBatch[]> {
  const consumer = kafka.consumer({ groupId: `thief-${process.pid}-${Date.now()}`, maxWaitTimeInMs: 100 });
  const found = new Map<number, LastBatch>();
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let heardAt = Date.now() + 5_000;
  await consumer.run({
    eachMessage: ({ partition, message }) => {
      const context = (message as unknown as { batchContext: BatchContext }).batchContext;
      const producerId = String(context.producerId);
      const nextSequence = context.firstSequence + context.lastOffsetDelta + 1;
      heardAt = Date.now();
      if (producerId !== '-1') {
        found.set(partition, { partition, producerId, producerEpoch: context.producerEpoch, nextSequence });
      }
      return Promise.resolve();
    },
  });
  while (found.size === 0 || Date.now() < heardAt + quietMs) {
    if (found.size > 0 && Date.now() > heardAt + 50) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await consumer.disconnect();
  return [...found.values()];
}

/**
 * Writes three messages of nobody under the id of whoever wrote last to each partition: that producer's next batch there is
 * out of order. Resolves to the number of partitions; one that was written to meanwhile is not among them.
 */
export async function stealSequence(kafka: Kafka, broker: string, topic: string): Promise<number> {
  const texts = ['not', 'a', 'round'];
  const codes: number[] = [];
  for (const { partition, producerId, producerEpoch, nextSequence } of await lastBatches(kafka, topic)) {
    const batch = { topic, partition, producerId, producerEpoch, firstSequence: nextSequence, texts };
    codes.push(await produceRaw(broker, batch));
  }
  return codes.filter((code) => code === 0).length;
}
