import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { connectBus, type Bus } from '#lib/bus/kafka';
import type { BusMessage, Lease, WindowedConsumer } from '#lib/bus/port';
import { startStack, type Stack } from '../support/stack';

export const maxMessageBytes = 1_048_576;

export const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i));
export const textOf = (message: BusMessage) => message.value!.toString();

/** A bus on the shared broker and topics of its own, one consumer group each. */
export class BusBench {
  readonly stack: Stack;
  readonly bus: Bus;
  /** Beside the bus, for what it does not do. */
  readonly kafka: Kafka;
  private readonly consumers: WindowedConsumer[] = [];
  private topicCount = 0;

  constructor(name: string) {
    this.stack = startStack(name);
    const { brokers } = this.stack;
    const logger = pino({ level: 'silent' });
    this.bus = connectBus({ brokers, clientId: `${name}-test`, logger, maxMessageBytes });
    this.kafka = new Kafka({ brokers: [...brokers], clientId: 'test', logLevel: logLevel.NOTHING });
  }

  async freshTopic(partitions = 1): Promise<string> {
    const topic = `${this.stack.topicPrefix}t${++this.topicCount}`;
    await this.makeTopic(topic, partitions);
    return topic;
  }

  makeTopic(topic: string, partitions = 1): Promise<void> {
    const spec = { topic, partitions, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes };
    return this.bus.ensureTopics([spec]);
  }

  async consume(
    topic: string,
    handle: (message: BusMessage, lease: Lease) => Promise<void>,
    options: Partial<Parameters<Bus['windowedConsumer']>[0]> = {},
  ): Promise<WindowedConsumer> {
    const groupId = groupOf(topic);
    const consumer = this.bus.windowedConsumer({ groupId, topics: [topic], window: 4, handle, ...options });
    this.consumers.push(consumer);
    await consumer.start();
    return consumer;
  }

  async sendTo(topic: string, texts: readonly string[], partition = 0): Promise<void> {
    const producer = await this.bus.producer();
    await producer.send(texts.map((text) => ({ topic, partition, key: null, value: Buffer.from(text) })));
    await producer.close();
  }

  async asAdmin<T>(work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  /** Offsets by partition; -1 where none is. */
  async committed(topic: string): Promise<Record<number, string>> {
    const [entry] = await this.asAdmin((admin) =>
      admin.fetchOffsets({ groupId: groupOf(topic), topics: [topic] }),
    );
    return Object.fromEntries(entry!.partitions.map((p) => [p.partition, p.offset]));
  }

  async untilCommitted(topic: string, wanted: Record<number, string>): Promise<void> {
    const end = Date.now() + 30_000;
    const isThere = async () => JSON.stringify(await this.committed(topic)) === JSON.stringify(wanted);
    while (!(await isThere()) && Date.now() < end) await sleep(50);
    expect(await this.committed(topic)).toEqual(wanted);
  }

  async stopConsumers(): Promise<void> {
    await Promise.all(this.consumers.splice(0).map((consumer) => consumer.stop()));
  }
}

function groupOf(topic: string): string {
  return `${topic}-group`;
}
