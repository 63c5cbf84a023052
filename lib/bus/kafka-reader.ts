import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { RoundhouseError } from '#schemas/errors';
import type { UnixMs } from '#schemas/brands';
import type { Logger } from '../telemetry';
import { waitFor } from '../wait-for';
import { withAdmin } from './kafka-client';
import { toBusMessage } from './kafka-messages';
import { KafkaSession } from './kafka-session';
import type { BusMessage } from './port';
import { SparseLog } from './sparse-log';

/** `earliest`, `latest` (the end at the time of the call), or the first message appended at or after. */
export type StartPosition = 'earliest' | 'latest' | { readonly timestamp: UnixMs };

export interface FollowOptions {
  readonly topic: string;
  readonly from: StartPosition;
  /** Called in offset order of a partition; must not throw. */
  handle(message: BusMessage): void;
  /** So long the broker keeps an empty fetch; messages come at once whatever it is. */
  readonly maxWaitMs?: number;
}
export interface Follower {
  close(): Promise<void>;
}
export interface ReadRangeOptions extends FollowOptions {
  /** Up to the first message appended at or after it; the end at the time of the call where it is absent. */
  readonly to?: StartPosition;
  /** DEPENDENCY_ABSENT when nothing more comes for so long. */
  readonly stallTimeoutMs?: number;
  /** Asked again and again: true ends the reading before `to`. */
  readonly isEnough?: () => boolean;
}

type Positions = Map<number, bigint>;

const positionsTimeoutMs = 10_000;

/** A topic that was made a moment ago has partitions without a leader for a while. */
function positionsOf(kafka: Kafka, topic: string, from: StartPosition): Promise<Positions> {
  const what = `the offsets of ${topic}`;
  return waitFor(() => askPositions(kafka, topic, from), { what, timeoutMs: positionsTimeoutMs });
}

async function askPositions(kafka: Kafka, topic: string, from: StartPosition): Promise<Positions> {
  return withAdmin(kafka, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic);
    if (typeof from === 'string') {
      return new Map(ends.map((p) => [p.partition, BigInt(from === 'latest' ? p.high : p.low)]));
    }
    const found = await admin.fetchTopicOffsetsByTimestamp(topic, from.timestamp);
    return new Map(found.map((p) => [p.partition, BigInt(p.offset)]));
  });
}

/**
 * Reads all partitions of a topic from given positions, without commits. kafkajs reads only in groups, so
 * each reader is alone in a group of its own that vanishes with it.
 */
class GroupOfOne {
  private session: KafkaSession | null = null;
  private closed = false;
  private readonly losses: SparseLog;

  constructor(
    private readonly kafka: Kafka,
    private readonly logger: Logger,
    private readonly topic: string,
    readonly positions: Positions,
    private readonly onMessage: (message: BusMessage) => void,
    private readonly maxWaitMs = 250,
  ) {
    this.losses = new SparseLog(logger, 'warn', 'ReaderLost');
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.openSession(resolve));
  }

  private openSession(onJoined: () => void): void {
    if (this.closed) return;
    const options = {
      groupId: `roundhouse-reader-${randomUUID()}`,
      topics: [this.topic],
      fromBeginning: true,
      sessionTimeoutMs: 10_000,
      maxWaitMs: this.maxWaitMs,
      // Nobody else waits for its partitions.
      heartbeatMs: 2_000,
      logger: this.logger,
      memberId: null,
    };
    this.session = new KafkaSession(this.kafka, options, {
      onJoined: (_assignment, consumer) => {
        this.seek(consumer);
        onJoined();
      },
      onRevoked: () => undefined,
      onBatch: (payload) => this.receive(payload),
      onLost: (reason) => void this.reopen(reason, onJoined),
    });
    void this.session.start();
  }

  private async reopen(reason: string, onJoined: () => void): Promise<void> {
    if (this.closed) return;
    this.losses.report(reason, { topic: this.topic });
    await sleep(250);
    this.openSession(onJoined);
  }

  private seek(consumer: Consumer): void {
    for (const [partition, offset] of this.positions) {
      consumer.seek({ topic: this.topic, partition, offset: offset.toString() });
    }
  }

  private receive({ batch }: EachBatchPayload): void {
    const next = this.positions.get(batch.partition) ?? 0n;
    for (const raw of batch.messages) {
      const message = toBusMessage(batch, raw);
      if (message.offset < next) continue;
      this.positions.set(batch.partition, message.offset + 1n);
      this.onMessage(message);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.session?.stop();
  }
}

/** Hands out every message from `from` on until it is closed. */
export async function followTopic(kafka: Kafka, logger: Logger, options: FollowOptions): Promise<Follower> {
  const positions = await positionsOf(kafka, options.topic, options.from);
  const { topic, handle, maxWaitMs } = options;
  const reader = new GroupOfOne(kafka, logger, topic, positions, handle, maxWaitMs);
  await reader.open();
  return reader;
}

/**
 * Has retention removed messages of the topic that may have been appended at or after `at`? It is so where a
 * partition's oldest message is the first one at or after it, and isn't the first there ever was.
 */
export async function isCutOff(kafka: Kafka, topic: string, at: UnixMs): Promise<boolean> {
  const first = await positionsOf(kafka, topic, { timestamp: at });
  const oldest = await positionsOf(kafka, topic, 'earliest');
  return [...oldest].some(([partition, low]) => low > 0n && first.get(partition) === low);
}

/** Hands out every message from `from` up to `to`; resolves to their count. */
export async function readRange(kafka: Kafka, logger: Logger, options: ReadRangeOptions): Promise<number> {
  const { topic, from, to = 'latest', handle, stallTimeoutMs = 30_000 } = options;
  const ends = await positionsOf(kafka, topic, to);
  const positions = from === 'latest' ? new Map(ends) : await positionsOf(kafka, topic, from);
  const isRead = (): boolean => [...ends].every(([p, end]) => (positions.get(p) ?? end) >= end);
  let count = 0;
  let lastMessageAt = performance.now();
  const reader = new GroupOfOne(kafka, logger, topic, positions, (message) => {
    lastMessageAt = performance.now();
    if (message.offset >= (ends.get(message.partition) ?? 0n)) return;
    count++;
    handle(message);
  });
  if (!isRead()) void reader.open();
  while (!isRead() && options.isEnough?.() !== true) {
    await sleep(5);
    if (performance.now() - lastMessageAt <= stallTimeoutMs) continue;
    await reader.close();
    throw new RoundhouseError('DEPENDENCY_ABSENT', `reading ${topic} stood still for ${stallTimeoutMs} ms`);
  }
  await reader.close();
  return count;
}
