import type { UnixMs } from '#schemas/brands';

/** The bus as our code sees it; only the `kafka…` files beside it know kafkajs. */
export interface BusMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The broker's append time (topics are created with LogAppendTime). */
  readonly timestamp: UnixMs;
  /**
   * Why the record batch that ends at this offset could not be read; key and value are then null, and the
   * batch's other offsets are skipped.
   */
  readonly unreadable?: string;
}

export interface OutgoingMessage {
  readonly topic: string;
  readonly key: string | Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly partition?: number;
  /** Its topic takes so much more than the bus's limit. */
  readonly headroomBytes?: number;
}

export interface BusProducer {
  /**
   * Resolves when all messages are acknowledged by all in-sync replicas, in the order given within a
   * partition. Messages of calls made close together may travel in one request. A producer that lost
   * its sequence is rebuilt inside. Rejects with RoundhouseError DEPENDENCY_ABSENT or ROUND_TOO_LARGE. After
   * DEPENDENCY_ABSENT the messages may still arrive: a request on its way can't be called back.
   */
  send(messages: readonly OutgoingMessage[], options?: SendOptions): Promise<void>;
  close(): Promise<void>;
}

export interface SendOptions {
  /**
   * What has not begun to be sent by then is not sent at all: DEADLINE_EXCEEDED. Where an attempt failed before it,
   * none is made after it: DEPENDENCY_ABSENT.
   */
  readonly beginBy?: UnixMs;
}

/** A partition this consumer owns; `isOwned()` turns false at a revoke and stays false. */
export interface Lease {
  readonly topic: string;
  readonly partition: number;
  isOwned(): boolean;
}

export interface WindowedConsumerOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  /** Uncommitted messages a partition may have in work at once. */
  readonly window: number;
  /** Bytes of values a partition may have in work at once; a larger message is worked on alone. */
  readonly windowBytes?: number;
  readonly fromBeginning?: boolean;
  readonly sessionTimeoutMs?: number;
  readonly maxWaitMs?: number;
  /** So long a stop waits for the handlers in flight before it leaves the group; half a second by default. */
  readonly drainMs?: number;
  /**
   * Called in offset order of a partition, up to `window` calls a partition at once, done in any order.
   * The offset is committed as a contiguous prefix of resolved calls, never after a revoke. A rejection
   * stops the consumer and is reported through `onFatal`: handlers dead-letter what they can't handle.
   */
  handle(message: BusMessage, lease: Lease): Promise<void>;
  onAssigned?(partitions: readonly Lease[]): void | Promise<void>;
  onRevoked?(partitions: readonly { topic: string; partition: number }[]): void;
  onFatal?(error: Error): void;
}

export interface WindowedConsumer {
  /** Resolves when the group has been joined and the first assignment is known. */
  start(): Promise<void>;
  /** Messages handed out and not resolved yet. */
  inFlight(): number;
  /** null while the group is joined and fetches come back, else the reason. */
  whyNotReady(): string | null;
  /**
   * Takes nothing new, waits for the handlers in flight for `drainMs`, commits, and leaves the group, so that
   * its partitions are served elsewhere. Handlers that still run hold ended leases from then on, and what
   * they do is not committed: the next owner is handed their messages again.
   */
  stop(): Promise<void>;
  /** Resolves when no handler is in flight, or when the time is up. */
  idle(timeoutMs: number): Promise<void>;
}
