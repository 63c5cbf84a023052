import { setTimeout as sleep } from 'node:timers/promises';
import { Partitioners, type Kafka, type Message, type Producer, type TopicMessages } from 'kafkajs';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { within } from '../within';
import { messageOf, protocolErrorType, type BusOptions } from './kafka-client';
import { SparseLog } from './sparse-log';
import type { BusProducer, OutgoingMessage, SendOptions } from './port';

export interface ProducerOptions {
  /** A send is given up (DEPENDENCY_ABSENT) when the broker did not take it for so long. */
  readonly deliveryTimeoutMs?: number;
}

const defaultDeliveryTimeoutMs = 30_000;
/** kafkajs can leave a request unanswered when its connection dies; then the producer is rebuilt. */
const attemptTimeoutMs = 12_000;
const maxRequestBytes = 4 * 1024 * 1024;
const recordOverheadBytes = 512;

interface PendingSend {
  readonly messages: readonly OutgoingMessage[];
  readonly bytes: number;
  readonly beginBy: number;
  /** Its caller has been told that it was given up; a request that holds it may still arrive. */
  isGivenUp: boolean;
  resolve(): void;
  reject(error: Error): void;
}

function sizeOf({ key, value, headers = {} }: OutgoingMessage): number {
  let size = recordOverheadBytes + (value?.length ?? 0) + (key === null ? 0 : Buffer.byteLength(key));
  for (const [name, text] of Object.entries(headers)) size += name.length + Buffer.byteLength(text);
  return size;
}

function toRecord({ key, value, headers, partition }: OutgoingMessage): Message {
  const record: Message = { key, value };
  if (headers !== undefined) record.headers = { ...headers };
  if (partition !== undefined) record.partition = partition;
  return record;
}

function byTopic(sends: readonly PendingSend[]): TopicMessages[] {
  const topics = new Map<string, Message[]>();
  for (const { messages } of sends) {
    for (const message of messages) {
      const records = topics.get(message.topic);
      if (records === undefined) topics.set(message.topic, [toRecord(message)]);
      else records.push(toRecord(message));
    }
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

function isTooLarge(error: unknown): boolean {
  const type = protocolErrorType(error);
  return type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE';
}

/**
 * Idempotent, acks from all in-sync replicas, one request on its way at a time: what is sent meanwhile
 * travels together in the next one. After any fault that kafkajs doesn't get over by itself (a lost
 * sequence, a fenced or unknown producer id, a hanging connection) the producer is made anew.
 */
export class KafkaProducer implements BusProducer {
  private readonly queue: PendingSend[] = [];
  private producer: Producer | null = null;
  private pumping = false;
  private closed = false;
  /** Why the last attempt failed; null since one succeeded. */
  private lastFault: string | null = null;
  private readonly retries: SparseLog;

  constructor(
    private readonly kafka: Kafka,
    private readonly bus: BusOptions,
    private readonly options: ProducerOptions = {},
  ) {
    this.retries = new SparseLog(bus.logger, 'warn', 'SendRetried');
  }

  /** Connects, so that the first send finds a connection and the topics' metadata. */
  async connect(): Promise<void> {
    this.producer = await this.build();
  }

  send(
    messages: readonly OutgoingMessage[],
    { beginBy = Infinity as UnixMs }: SendOptions = {},
  ): Promise<void> {
    if (this.closed)
      return Promise.reject(new RoundhouseError('SHUTTING_DOWN', 'the producer has been closed'));
    if (messages.length === 0) return Promise.resolve();
    let bytes = 0;
    for (const message of messages) {
      const size = sizeOf(message);
      const limit = this.limitOf(message);
      if (size > limit) return Promise.reject(tooLargeError(message.topic, size, limit));
      bytes += size;
    }
    return new Promise((resolve, reject) => {
      this.enqueue({ messages, bytes, beginBy, isGivenUp: false, resolve, reject });
      this.schedulePump();
    });
  }

  /** The caller learns in time that a send hangs, whatever becomes of the request that holds it. */
  private enqueue(pending: PendingSend): void {
    const timer = setTimeout(
      () => this.giveUp(send),
      this.options.deliveryTimeoutMs ?? defaultDeliveryTimeoutMs,
    );
    const settled = (finish: () => void) => {
      clearTimeout(timer);
      finish();
    };
    const send: PendingSend = {
      ...pending,
      resolve: () => settled(pending.resolve),
      reject: (error) => settled(() => pending.reject(error)),
    };
    this.queue.push(send);
  }

  /** Sends what is queued (until its time is up), then disconnects. */
  async close(): Promise<void> {
    this.closed = true;
    while (this.pumping) await sleep(5);
    await this.producer?.disconnect().catch(() => undefined);
    this.producer = null;
  }

  private schedulePump(): void {
    if (this.pumping) return;
    this.pumping = true;
    setImmediate(() => void this.pump());
  }

  private async pump(): Promise<void> {
    while (this.queue.length > 0) {
      const sends = this.nextRequest();
      if (sends.length > 0) await this.deliver(sends);
    }
    this.pumping = false;
  }

  private nextRequest(): PendingSend[] {
    let bytes = 0;
    let count = 0;
    for (const send of this.queue) {
      bytes += send.bytes;
      if (count > 0 && bytes > maxRequestBytes) break;
      count++;
    }
    const sends = this.queue.splice(0, count).filter(({ isGivenUp }) => !isGivenUp);
    const [late, inTime] = byLateness(sends);
    for (const send of late) send.reject(waitedTooLong());
    return inTime;
  }

  private async deliver(sends: PendingSend[]): Promise<void> {
    let pauseMs = 20;
    let waiting = sends;
    for (;;) {
      try {
        await this.attempt(waiting);
        this.lastFault = null;
        for (const send of waiting) send.resolve();
        return;
      } catch (error) {
        if (isTooLarge(error)) return this.deliverApart(waiting, error);
        this.lastFault = messageOf(error);
        const [late, inTime] = byLateness(waiting.filter(({ isGivenUp }) => !isGivenUp));
        for (const send of late) this.giveUp(send);
        waiting = inTime;
        if (waiting.length === 0) return;
        this.retries.report(this.lastFault, { sends: waiting.length });
        await sleep(pauseMs);
        pauseMs = Math.min(pauseMs * 2, 500);
      }
    }
  }

  /** One message too large must not fail the others of its request. */
  private async deliverApart(sends: PendingSend[], error: unknown): Promise<void> {
    if (sends.length > 1) {
      for (const send of sends) await this.deliver([send]);
      return;
    }
    const [send] = sends as [PendingSend];
    const [message, ...others] = send.messages;
    if (others.length > 0) return this.deliverSingly(send);
    send.reject(refusedAsTooLarge(message!.topic, send.bytes, error));
  }

  /** A batch of a partition has the limit of a message: those of one send may be above it only together. */
  private async deliverSingly(send: PendingSend): Promise<void> {
    for (const message of send.messages) {
      const faults: Error[] = [];
      await this.deliver([partOf(send, message, faults)]);
      const [fault] = faults;
      if (fault !== undefined) return send.reject(fault);
      if (send.isGivenUp) return;
    }
    send.resolve();
  }

  private limitOf({ headroomBytes = 0 }: OutgoingMessage): number {
    return (this.bus.maxMessageBytes ?? Infinity) + headroomBytes;
  }

  private giveUp(send: PendingSend): void {
    const brokers = this.bus.brokers.join(',');
    const message = `Kafka at ${brokers} did not take the messages: ${this.lastFault ?? 'no answer yet'}`;
    send.isGivenUp = true;
    send.reject(new RoundhouseError('DEPENDENCY_ABSENT', message));
  }

  private async attempt(sends: readonly PendingSend[]): Promise<void> {
    try {
      this.producer ??= await this.build();
      const request = this.producer.sendBatch({ acks: -1, topicMessages: byTopic(sends) });
      await within(attemptTimeoutMs, request, () => new Error(`no answer in ${attemptTimeoutMs} ms`));
    } catch (error) {
      if (!isTooLarge(error)) this.discard();
      throw error;
    }
  }

  private async build(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: { initialRetryTime: 10, maxRetryTime: 200, retries: 4 },
    });
    try {
      await producer.connect();
    } catch (error) {
      producer.disconnect().catch(() => undefined);
      throw error;
    }
    return producer;
  }

  private discard(): void {
    this.producer?.disconnect().catch(() => undefined);
    this.producer = null;
  }
}

/** It is given up with the whole. */
function partOf(whole: PendingSend, message: OutgoingMessage, faults: Error[]): PendingSend {
  return {
    messages: [message],
    bytes: sizeOf(message),
    beginBy: whole.beginBy,
    get isGivenUp() {
      return whole.isGivenUp;
    },
    set isGivenUp(isGivenUp) {
      whole.isGivenUp = isGivenUp;
    },
    resolve: () => undefined,
    reject: (error) => void faults.push(error),
  };
}

function byLateness(sends: readonly PendingSend[]): [late: PendingSend[], inTime: PendingSend[]] {
  const now = Date.now();
  const isLate = ({ beginBy }: PendingSend): boolean => beginBy < now;
  return [sends.filter(isLate), sends.filter((send) => !isLate(send))];
}

function waitedTooLong(): RoundhouseError {
  return new RoundhouseError('DEADLINE_EXCEEDED', 'the messages waited for others until it was too late');
}

function tooLargeError(topic: string, size: number, limit: number): RoundhouseError {
  const message = `a message of ${size} bytes for ${topic} is above the limit of ${limit} bytes`;
  return new RoundhouseError('ROUND_TOO_LARGE', message);
}

function refusedAsTooLarge(topic: string, size: number, cause: unknown): RoundhouseError {
  const limit = 'the limit of the topic or the broker (max.message.bytes)';
  const message = `a message of ${size} bytes for ${topic} is above ${limit}`;
  return new RoundhouseError('ROUND_TOO_LARGE', message, [], { cause });
}
