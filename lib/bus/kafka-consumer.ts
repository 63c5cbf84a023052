import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { RoundhouseError } from '#schemas/errors';
import type { Logger } from '../telemetry';
import { messageOf } from './kafka-client';
import { toBusMessage } from './kafka-messages';
import { KafkaSession } from './kafka-session';
import { MemberSlot } from './member-slot';
import { OwnedPartition, asError, type PartitionOwner } from './owned-partition';
import { SparseLog } from './sparse-log';
import type { BusMessage, Lease, WindowedConsumer, WindowedConsumerOptions } from './port';

const defaultSessionTimeoutMs = 10_000;
const defaultMaxWaitMs = 250;
const commitPauseMs = 40;
const commitRetryPauseMs = 200;
const defaultDrainMs = 500;
const silenceLimitMs = 3_000;

/** See port.ts. Sessions that are lost are replaced; handlers in flight then hold revoked leases. */
export class KafkaWindowedConsumer implements WindowedConsumer, PartitionOwner {
  private partitions: OwnedPartition[] = [];
  private session: KafkaSession | null = null;
  private consumer: Consumer | null = null;
  private stopping = false;
  private stopped: Promise<void> | null = null;
  /** Sessions that were lost and may still be leaving the group. */
  private lost: readonly KafkaSession[] = [];
  private handling = 0;
  private committing = false;
  private commitTimer: NodeJS.Timeout | null = null;
  private slot: MemberSlot | null = null;
  private readonly losses: SparseLog;
  private started: { resolve(): void; reject(error: Error): void } | null = null;

  constructor(
    private readonly kafka: Kafka,
    private readonly options: WindowedConsumerOptions,
    private readonly logger: Logger,
    private readonly stateFolder?: string,
  ) {
    this.losses = new SparseLog(logger, 'warn', 'ConsumerLost');
  }

  start(): Promise<void> {
    const { groupId } = this.options;
    if (this.stateFolder !== undefined) this.slot = MemberSlot.claim(this.stateFolder, groupId);
    return new Promise((resolve, reject) => {
      this.started = { resolve, reject };
      this.openSession();
    });
  }

  inFlight(): number {
    return this.handling;
  }

  whyNotReady(): string | null {
    if (this.consumer === null || this.session === null) return 'the consumer group has not been joined';
    const silentMs = this.session.silentMs();
    return silentMs > silenceLimitMs ? `no answer from Kafka for ${Math.round(silentMs)} ms` : null;
  }

  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    this.stopping = true;
    for (const partition of this.partitions) partition.drain();
    await this.idle(this.options.drainMs ?? defaultDrainMs);
    await this.commitRest();
    await Promise.all([this.session, ...this.lost].map((session) => session?.stop()));
    this.slot?.release();
    this.started?.reject(new RoundhouseError('SHUTTING_DOWN', 'stopped before the group was joined'));
    this.started = null;
  }

  async idle(timeoutMs: number): Promise<void> {
    const giveUpAt = performance.now() + timeoutMs;
    while (this.handling > 0 && performance.now() < giveUpAt) await sleep(5);
  }

  private openSession(): void {
    if (this.stopping) return;
    const { groupId, topics, fromBeginning, sessionTimeoutMs, maxWaitMs } = this.options;
    const options = {
      groupId,
      topics,
      fromBeginning: fromBeginning ?? true,
      sessionTimeoutMs: sessionTimeoutMs ?? defaultSessionTimeoutMs,
      maxWaitMs: maxWaitMs ?? defaultMaxWaitMs,
      logger: this.logger,
      memberId: this.session?.memberId ?? this.slot?.memberId ?? null,
    };
    this.session = new KafkaSession(this.kafka, options, {
      onJoined: (assignment, consumer) => this.assign(assignment, consumer),
      onRevoked: () => this.revokeAll(),
      onBatch: (payload) => this.receive(payload),
      onLost: (reason) => void this.reopen(reason),
    });
    void this.session.start();
  }

  private async reopen(reason: string): Promise<void> {
    this.consumer = null;
    // The last two: earlier ones have long gone.
    if (this.session !== null) this.lost = [...this.lost.slice(-1), this.session];
    if (this.stopping) return;
    this.losses.report(reason, { groupId: this.options.groupId });
    await sleep(250);
    this.openSession();
  }

  private assign(assignment: Readonly<Record<string, readonly number[]>>, consumer: Consumer): void {
    this.revokeAll();
    this.consumer = consumer;
    if (this.session?.memberId) this.slot?.save(this.session.memberId);
    const { window, windowBytes = Infinity } = this.options;
    const owned = Object.entries(assignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => new OwnedPartition(topic, partition, window, windowBytes, this)),
    );
    this.partitions = owned;
    // A pause of the last generation must not outlive it.
    for (const { topic, partition } of owned) consumer.resume([{ topic, partitions: [partition] }]);
    if (this.stopping) for (const partition of owned) partition.drain();
    const { groupId } = this.options;
    this.logger.info({ event: 'PartitionsAssigned', groupId, assignment });
    void this.openPartitions(owned);
  }

  private async openPartitions(owned: readonly OwnedPartition[]): Promise<void> {
    try {
      await this.options.onAssigned?.(owned);
    } catch (error) {
      return this.stopFor(asError(error));
    }
    for (const partition of owned) if (partition.isOwned()) partition.open();
    this.started?.resolve();
    this.started = null;
  }

  private revokeAll(): void {
    const revoked = this.partitions;
    this.partitions = [];
    if (revoked.length === 0) return;
    for (const partition of revoked) partition.revoke();
    this.options.onRevoked?.(revoked.map(({ topic, partition }) => ({ topic, partition })));
  }

  private receive(payload: EachBatchPayload): void {
    const { batch } = payload;
    const owner = this.partitions.find((p) => p.topic === batch.topic && p.partition === batch.partition);
    owner?.add(batch.messages.map((message) => toBusMessage(batch, message)));
  }

  async handle(message: BusMessage, lease: Lease): Promise<void> {
    this.handling++;
    try {
      await this.options.handle(message, lease);
    } finally {
      this.handling--;
    }
  }

  onHandlerFailed(error: Error, message: BusMessage): void {
    const { topic, partition, offset } = message;
    this.logger.error({ event: 'HandlerFailed', topic, partition, offset: offset.toString(), error });
    this.stopFor(error);
  }

  private stopFor(error: Error): void {
    if (this.stopping) return;
    this.started?.reject(error);
    this.started = null;
    void this.stop().finally(() => this.options.onFatal?.(error));
  }

  pause(topic: string, partition: number): void {
    this.consumer?.pause([{ topic, partitions: [partition] }]);
  }

  resume(topic: string, partition: number): void {
    this.consumer?.resume([{ topic, partitions: [partition] }]);
  }

  onProgress(): void {
    this.commitLater(commitPauseMs);
  }

  private commitLater(pauseMs: number): void {
    if (this.commitTimer !== null || this.committing) return;
    this.commitTimer = setTimeout(() => {
      this.commitTimer = null;
      void this.commit();
    }, pauseMs);
  }

  private async commit(): Promise<void> {
    const due = this.partitions.flatMap((partition) => {
      const offset = partition.uncommitted();
      return offset === null ? [] : [{ partition, offset }];
    });
    if (due.length === 0 || this.consumer === null) return;
    this.committing = true;
    let pauseMs = commitPauseMs;
    try {
      await this.consumer.commitOffsets(
        due.map(({ partition: { topic, partition }, offset }) => ({
          topic,
          partition,
          offset: offset.toString(),
        })),
      );
      for (const { partition, offset } of due) partition.committedUpTo(offset);
    } catch (error) {
      this.logger.debug({ event: 'CommitFailed', groupId: this.options.groupId, reason: messageOf(error) });
      pauseMs = commitRetryPauseMs;
    }
    this.committing = false;
    if (this.partitions.some((p) => p.uncommitted() !== null)) this.commitLater(pauseMs);
  }

  private async commitRest(): Promise<void> {
    if (this.commitTimer !== null) clearTimeout(this.commitTimer);
    this.commitTimer = null;
    while (this.committing) await sleep(2);
    if (this.commitTimer !== null) clearTimeout(this.commitTimer);
    await this.commit();
    if (this.commitTimer !== null) clearTimeout(this.commitTimer);
  }
}
