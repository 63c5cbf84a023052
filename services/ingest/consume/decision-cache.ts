import type { UnixMs } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import type { Decision, RoundKey } from '#schemas/domain';
import { roundKey } from '#schemas/topics';

/** A decision with what stands beside it on Kafka. */
export interface DecisionRecord {
  readonly decision: Decision;
  readonly appendedAt: UnixMs;
  readonly closedAt: string | undefined;
  readonly outage: string | undefined;
}

interface Entry {
  readonly bytes: Buffer;
  readonly appendedAt: UnixMs;
  readonly closedAt: string | undefined;
  readonly outage: string | undefined;
  readonly seenAt: number;
}

/** Rounds whose decisions left the cache; their keys take little memory. */
const GONE_KEPT = 50_000;

export interface DecisionCacheLimits {
  readonly ttlMs: number;
  readonly maxBytes: number;
}

/**
 * Recent decisions as encoded, oldest first, bounded in bytes and age, and those who wait for one. The
 * first record of a round is its decision; later ones are repetitions.
 */
export class DecisionCache {
  private readonly entries = new Map<string, Entry>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly watchers = new Set<(record: DecisionRecord) => void>();
  private readonly gone = new Set<string>();
  private bytes = 0;

  constructor(
    private readonly limits: DecisionCacheLimits,
    private readonly now: () => number = Date.now,
  ) {}

  /** False for a repetition. */
  add(record: DecisionRecord, encoded: Buffer): boolean {
    const key = roundKey(record.decision);
    if (this.entries.has(key) || this.gone.has(key)) return false;
    const { appendedAt, closedAt, outage } = record;
    const bytes = Buffer.from(encoded);
    this.entries.set(key, { bytes, appendedAt, closedAt, outage, seenAt: this.now() });
    this.bytes += bytes.length;
    this.dropOld();
    for (const wake of this.waiting.get(key) ?? []) wake();
    for (const watcher of this.watchers) watcher(record);
    return true;
  }

  find(key: RoundKey): DecisionRecord | null {
    this.dropOld();
    const entry = this.entries.get(roundKey(key));
    return entry ? recordOf(entry) : null;
  }

  /** The decision was here, or would have left by now if it was made by the deadline. */
  isGone(key: RoundKey, deadline: number | undefined): boolean {
    if (this.find(key)) return false;
    return this.gone.has(roundKey(key)) || (deadline ?? Infinity) + this.limits.ttlMs < this.now();
  }

  /** The decision as soon as it is there, or null after the wait or when the signal fires. */
  async wait(key: RoundKey, waitMs: number, signal: AbortSignal): Promise<DecisionRecord | null> {
    const found = this.find(key);
    if (found || waitMs <= 0 || signal.aborted) return found;
    await this.woken(roundKey(key), waitMs, signal);
    return this.find(key);
  }

  /** Calls back for every new decision until the returned function is called. */
  watch(watcher: (record: DecisionRecord) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Everything that is there, oldest first. */
  *recent(): Generator<DecisionRecord> {
    this.dropOld();
    for (const entry of this.entries.values()) yield recordOf(entry);
  }

  private woken(key: string, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.waiting.get(key) ?? new Set();
      this.waiting.set(key, waiters);
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        waiters.delete(end);
        if (waiters.size === 0) this.waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      signal.addEventListener('abort', end);
      waiters.add(end);
    });
  }

  private dropOld(): void {
    const oldest = this.now() - this.limits.ttlMs;
    for (const [key, entry] of this.entries) {
      if (entry.seenAt >= oldest && this.bytes <= this.limits.maxBytes) return;
      this.entries.delete(key);
      this.bytes -= entry.bytes.length;
      this.gone.add(key);
      if (this.gone.size > GONE_KEPT) this.gone.delete(this.gone.values().next().value!);
    }
  }
}

function recordOf({ bytes, appendedAt, closedAt, outage }: Entry): DecisionRecord {
  return { decision: decisionsCodec.decode(bytes), appendedAt, closedAt, outage };
}
