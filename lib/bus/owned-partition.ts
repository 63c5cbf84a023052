import { ownBytes } from '#lib/own-bytes';
import { PartitionWindow } from './partition-window';
import type { BusMessage, Lease } from './port';

/** What a partition needs of its consumer. */
export interface PartitionOwner {
  handle(message: BusMessage, lease: Lease): Promise<void>;
  /** The committable prefix of a partition grew. */
  onProgress(): void;
  onHandlerFailed(error: Error, message: BusMessage): void;
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
}

const minWaiting = 64;
const maxWaitingBytes = 2 * 1024 * 1024;
/** Timers and answers of others wait no longer than this for messages that came together. */
const turnMs = 5;

function sizeOf(message: BusMessage): number {
  return message.value?.length ?? 0;
}

/** Messages in work may be kept for long: without the response of megabytes that they came in. */
function alone(message: BusMessage): BusMessage {
  const { key, value } = message;
  return { ...message, key: key && ownBytes(key), value: value && ownBytes(value) };
}

/**
 * A partition from its assignment to its revoke: messages that were fetched and wait, those in work, and
 * how far it may be committed. Fetching pauses while enough wait, so a slow partition holds back nothing
 * but itself.
 */
export class OwnedPartition implements Lease {
  private owned = true;
  private ready = false;
  private paused = false;
  private drained = false;
  private waiting: BusMessage[] = [];
  private waitingBytes = 0;
  private readonly window: PartitionWindow;
  private committed: bigint | null = null;
  private nextTurn: NodeJS.Immediate | null = null;

  constructor(
    readonly topic: string,
    readonly partition: number,
    windowSize: number,
    windowBytes: number,
    private readonly owner: PartitionOwner,
  ) {
    this.window = new PartitionWindow(windowSize, windowBytes);
  }

  isOwned(): boolean {
    return this.owned;
  }

  get inFlight(): number {
    return this.window.inFlight;
  }

  /** Messages are handed out from now on. */
  open(): void {
    this.ready = true;
    this.handOut();
  }

  add(messages: readonly BusMessage[]): void {
    if (!this.owned || this.drained) return;
    for (const message of messages) {
      this.waiting.push(message);
      this.waitingBytes += sizeOf(message);
    }
    this.handOut();
    this.pauseOrResume();
  }

  /** No message is handed out any more; those in work go on. */
  drain(): void {
    this.drained = true;
    this.waiting = [];
    this.setPaused(true);
  }

  revoke(): void {
    this.owned = false;
    this.waiting = [];
  }

  /** The offset that should be committed next, or null when there is none. */
  uncommitted(): bigint | null {
    const next = this.window.committable;
    return this.owned && next !== null && next !== this.committed ? next : null;
  }

  committedUpTo(offset: bigint): void {
    this.committed = offset;
  }

  private handOut(): void {
    if (this.nextTurn !== null) return;
    const turnEnds = performance.now() + turnMs;
    while (this.ready && this.owned && this.waiting.length > 0) {
      if (!this.window.hasRoom(sizeOf(this.waiting[0]!))) return;
      if (performance.now() > turnEnds) return this.goOnLater();
      const message = this.waiting.shift()!;
      this.waitingBytes -= sizeOf(message);
      this.window.take(message.offset, sizeOf(message));
      this.work(alone(message));
    }
  }

  private goOnLater(): void {
    this.nextTurn = setImmediate(() => {
      this.nextTurn = null;
      this.handOut();
      this.pauseOrResume();
    });
  }

  private work(message: BusMessage): void {
    this.owner.handle(message, this).then(
      () => {
        if (this.window.resolve(message.offset)) this.owner.onProgress();
        this.handOut();
        this.pauseOrResume();
      },
      (error: unknown) => this.owner.onHandlerFailed(asError(error), message),
    );
  }

  /**
   * Enough waits to bridge the time until a resumed fetch comes back, and not more (plus what one fetch
   * brings): memory is bounded by bytes, not by messages.
   */
  private pauseOrResume(): void {
    if (!this.owned || this.drained) return;
    const limit = Math.max(minWaiting, 4 * this.window.size);
    const full = this.waiting.length >= limit || this.waitingBytes >= maxWaitingBytes;
    const low = this.waiting.length <= limit / 2 && this.waitingBytes <= maxWaitingBytes / 2;
    if (!this.paused && full) this.setPaused(true);
    else if (this.paused && low) this.setPaused(false);
  }

  private setPaused(paused: boolean): void {
    if (paused === this.paused || !this.owned) return;
    this.paused = paused;
    if (paused) this.owner.pause(this.topic, this.partition);
    else this.owner.resume(this.topic, this.partition);
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
