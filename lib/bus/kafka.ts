import type { UnixMs } from '#schemas/brands';
import { waitFor } from '../wait-for';
import { measureClockSkewMs, type ClockProbe } from './clock-skew';
import { createKafka, withAdmin, type BusOptions } from './kafka-client';
import { KafkaWindowedConsumer } from './kafka-consumer';
import { KafkaProducer, type ProducerOptions } from './kafka-producer';
import {
  followTopic,
  isCutOff,
  readRange,
  type FollowOptions,
  type Follower,
  type ReadRangeOptions,
} from './kafka-reader';
import { OffsetsReader } from './kafka-offsets';
import { deleteTopics, ensureTopics, missingTopics } from './kafka-topics';
import type { BusProducer, WindowedConsumer, WindowedConsumerOptions } from './port';
import type { TopicSpec } from './topic-specs';

export type { BusOptions } from './kafka-client';
export type { FollowOptions, Follower, ReadRangeOptions, StartPosition } from './kafka-reader';
export type { GroupOfTopic, GroupOffsets, OffsetsLook, OffsetsReader, TopicOffsets } from './kafka-offsets';
export { topicSpecs, type TopicSettings, type TopicSpec } from './topic-specs';

export interface Bus {
  /** Connected. The caller closes it, or `close()` of the bus does. */
  producer(options?: ProducerOptions): Promise<BusProducer>;
  /** Not started yet. */
  windowedConsumer(options: WindowedConsumerOptions): WindowedConsumer;
  ensureTopics(specs: readonly TopicSpec[]): Promise<void>;
  missingTopics(topics: readonly string[]): Promise<string[]>;
  /** All whose names begin with the prefix of a deployment. */
  deleteTopics(prefix: string): Promise<void>;
  /** Resolves when the broker answers and its group coordinator is loaded; rejects with DEPENDENCY_ABSENT. */
  waitUntilReady(timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** Our clock minus the broker's; throws CLOCK_SKEWED above the limit. */
  measureClockSkewMs(probe: ClockProbe): Promise<number>;
  readRange(options: ReadRangeOptions): Promise<number>;
  /** Has retention removed messages that may have been appended at or after the time? */
  isCutOff(topic: string, at: UnixMs): Promise<boolean>;
  /** Follows all partitions of a topic outside of any consumer group. */
  followTopic(options: FollowOptions): Promise<Follower>;
  /** Not connected yet. */
  offsetsReader(): OffsetsReader;
  /** Closes producers and readers that are still open. Consumers are stopped by their owners. */
  close(): Promise<void>;
}

export function connectBus(options: BusOptions): Bus {
  const kafka = createKafka(options);
  const { logger } = options;
  const open = new Set<{ close(): Promise<void> }>();
  return {
    async producer(producerOptions) {
      const producer = new KafkaProducer(kafka, options, producerOptions);
      await producer.connect();
      open.add(producer);
      return producer;
    },
    windowedConsumer: (consumerOptions) =>
      new KafkaWindowedConsumer(kafka, consumerOptions, logger, options.stateFolder),
    ensureTopics: (specs) => ensureTopics(kafka, specs),
    missingTopics: (topics) => missingTopics(kafka, topics),
    deleteTopics: (prefix) => deleteTopics(kafka, prefix),
    async waitUntilReady(timeoutMs, signal) {
      const what = `Kafka at ${options.brokers.join(',')}`;
      const ask = (): Promise<unknown> =>
        withAdmin(kafka, (admin) => admin.describeGroups(['roundhouse-readiness']));
      await waitFor(ask, { what, timeoutMs, logger, ...(signal && { signal }) });
    },
    measureClockSkewMs: (probe) => measureClockSkewMs(kafka, probe),
    readRange: (range) => readRange(kafka, logger, range),
    isCutOff: (topic, at) => isCutOff(kafka, topic, at),
    async followTopic(follow) {
      const follower = await followTopic(kafka, logger, follow);
      open.add(follower);
      return follower;
    },
    offsetsReader() {
      const reader = new OffsetsReader(kafka);
      open.add(reader);
      return reader;
    },
    async close() {
      await Promise.all([...open].map((resource) => resource.close()));
      open.clear();
    },
  };
}
