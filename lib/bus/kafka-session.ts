import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { Logger } from '../telemetry';
import { assignerOfMember } from './kafkajs-repairs';

/** What one kafkajs consumer reports, from its start until it is given up. */
interface SessionListener {
  onJoined(assignment: Readonly<Record<string, readonly number[]>>, consumer: Consumer): void;
  /** Nothing is owned any more: a rebalance began, or the session is over. */
  onRevoked(): void;
  onBatch(payload: EachBatchPayload): void;
  /** The session is over and another one is needed. */
  onLost(reason: string): void;
}

interface SessionOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly fromBeginning: boolean;
  readonly sessionTimeoutMs: number;
  readonly maxWaitMs: number;
  /** Between two signs of life; at most a tenth of the session, and half a second, where absent. */
  readonly heartbeatMs?: number;
  readonly logger: Logger;
  /** Of the session before this one, whose place in the group is taken over. */
  readonly memberId: string | null;
}

const leaveTimeoutMs = 5_000;

/**
 * One life of a kafkajs consumer. kafkajs' own restart is turned off: a crash, or a fetch loop that stands
 * still, ends the session, and the owner starts a fresh one.
 */
export class KafkaSession {
  private starting: Promise<void> = Promise.resolve();
  private left: Promise<void> | null = null;
  readonly consumer: Consumer;
  private watchdog: NodeJS.Timeout | null = null;
  private lastSign = performance.now();
  private over = false;
  /** In the group; null before the first join. */
  memberId: string | null;

  constructor(
    kafka: Kafka,
    private readonly options: SessionOptions,
    private readonly listener: SessionListener,
  ) {
    const { sessionTimeoutMs } = options;
    this.memberId = options.memberId;
    this.consumer = kafka.consumer({
      groupId: options.groupId,
      partitionAssigners: [assignerOfMember(options.memberId)],
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: Math.max(sessionTimeoutMs, 10_000),
      heartbeatInterval:
        options.heartbeatMs ?? Math.max(100, Math.min(500, Math.floor(sessionTimeoutMs / 10))),
      maxWaitTimeInMs: options.maxWaitMs,
      minBytes: 1,
      maxBytes: 8 * 1024 * 1024,
      maxBytesPerPartition: 1024 * 1024,
      metadataMaxAge: 60_000,
      retry: {
        initialRetryTime: 20,
        maxRetryTime: 300,
        retries: 4,
        restartOnFailure: () => Promise.resolve(false),
      },
    });
    this.listen();
  }

  private listen(): void {
    const { consumer, listener } = this;
    const { events } = consumer;
    consumer.on(events.GROUP_JOIN, ({ payload }) => {
      this.lastSign = performance.now();
      this.memberId = payload.memberId;
      if (!this.over) listener.onJoined(payload.memberAssignment, consumer);
    });
    consumer.on(events.REBALANCING, () => this.revoke());
    consumer.on(events.FETCH, () => (this.lastSign = performance.now()));
    consumer.on(events.CRASH, ({ payload }) => this.lose(payload.error.message));
  }

  private revoke(): void {
    if (!this.over) this.listener.onRevoked();
  }

  start(): Promise<void> {
    this.starting = this.join();
    return this.starting;
  }

  private async join(): Promise<void> {
    const { topics, fromBeginning } = this.options;
    try {
      await this.consumer.connect();
      if (this.over) return await this.consumer.disconnect();
      await this.consumer.subscribe({ topics: [...topics], fromBeginning });
      const eachBatch = (payload: EachBatchPayload): Promise<void> => this.take(payload);
      const run = { autoCommit: false, eachBatchAutoResolve: false, eachBatch };
      await this.consumer.run(run);
      if (this.over) return await this.consumer.disconnect();
      this.watch();
    } catch (error) {
      this.lose(error instanceof Error ? error.message : String(error));
    }
  }

  /** The fetch position moves on at once; how far is committed is the owner's business. */
  private take(payload: EachBatchPayload): Promise<void> {
    if (this.over) return Promise.resolve();
    const { batch, resolveOffset } = payload;
    this.listener.onBatch(payload);
    resolveOffset(batch.lastOffset());
    return Promise.resolve();
  }

  /** Since the last fetch that came back. */
  silentMs(): number {
    return performance.now() - this.lastSign;
  }

  private watch(): void {
    const limitMs = Math.max(15_000, 2 * this.options.sessionTimeoutMs);
    this.watchdog = setInterval(() => {
      if (this.silentMs() > limitMs) this.lose(`no fetch in ${limitMs} ms`);
    }, 1_000);
    this.watchdog.unref();
  }

  private lose(reason: string): void {
    if (this.over) return;
    this.revoke();
    this.over = true;
    if (this.watchdog !== null) clearInterval(this.watchdog);
    void this.leave();
    this.listener.onLost(reason);
  }

  /** Leaves the group; after a loss it waits for the leave that is under way. */
  async stop(): Promise<void> {
    if (this.watchdog !== null) clearInterval(this.watchdog);
    this.revoke();
    this.over = true;
    const cut = new Promise<void>((resolve) => setTimeout(resolve, leaveTimeoutMs).unref());
    await Promise.race([this.leave(), cut]);
  }

  /** A start that is under way ends its own connection once it sees that the session is over. */
  private leave(): Promise<void> {
    this.left ??= this.consumer
      .disconnect()
      .catch(() => undefined)
      .then(() => this.starting);
    return this.left;
  }
}
