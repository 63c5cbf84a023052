import type { Redis } from '#lib/redis';
import { within } from '#lib/within';
import type { Fault } from '#schemas/errors';
import { mostRemotes, readEntry, type RemoteEntry } from './remote-entry';

/** By Redis's own clock, so that nobody else's matters: what is over is removed, the rest comes back. */
const listScript = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms)
return redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[1]) - 1)`;

const announceScript = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZADD', KEYS[1], ms + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], math.max(tonumber(ARGV[2]), redis.call('PTTL', KEYS[1])))
return ms`;

const mostLetters = 2_048;

/** What other workers are told of this one. */
export interface Announcement {
  /** Of this process alone. */
  readonly id: string;
  readonly address: string;
}

export interface AnnouncementsOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly leaseMs: number;
  readonly onEntries: (entries: readonly RemoteEntry[]) => void;
  readonly onUnreadable: (reason: string) => void;
  readonly onFailed: (reason: string) => void;
}

/**
 * Workers' engines in Redis: each says every third of its lease where it is, and reads who else is there. Without Redis
 * the last list goes on, and whoever is gone is found out by its probes.
 */
export class Announcements {
  private readonly key: string;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  private failing = false;
  private turn: Promise<void> = Promise.resolve();
  private readonly unreadable = new Set<string>();
  /** null: only listens. */
  private own: Announcement | null = null;

  constructor(private readonly options: AnnouncementsOptions) {
    this.key = `${options.prefix}inference-worker:engines`;
  }

  /** Resolves after the first turn, whatever came of it. */
  async start(): Promise<void> {
    await (this.turn = this.take());
    this.plan();
  }

  /** From now on others hear of this worker. */
  async announce(own: Announcement): Promise<void> {
    this.own = own;
    await this.turn;
    await (this.turn = this.take());
  }

  /** Nobody hears of this worker any more. */
  async withdraw(): Promise<void> {
    const { own } = this;
    this.own = null;
    await this.turn;
    const { redis } = this.options;
    if (own === null || redis.status !== 'ready') return;
    await this.inTime(redis.zrem(this.key, this.text(own))).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.withdraw();
  }

  private plan(): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => {
      this.turn = this.take();
      void this.turn.then(() => this.plan());
    }, this.options.leaseMs / 3);
    this.timer.unref();
  }

  private async take(): Promise<void> {
    const { redis, leaseMs, onEntries, onFailed } = this.options;
    const { own } = this;
    try {
      if (own !== null) await this.inTime(redis.eval(announceScript, 1, this.key, this.text(own), leaseMs));
      const texts = (await this.inTime(redis.eval(listScript, 1, this.key, mostRemotes))) as string[];
      this.failing = false;
      if (!this.isClosed) onEntries(this.entriesOf(texts));
    } catch (error) {
      if (!this.failing) onFailed((error as Error).message);
      this.failing = true;
    }
  }

  private text({ id, address }: Announcement): string {
    return JSON.stringify({ id, address });
  }

  /** The last of two with one name wins; each text that can't be read is told once. */
  private entriesOf(texts: readonly string[]): RemoteEntry[] {
    const entries = new Map<string, RemoteEntry>();
    for (const text of texts) {
      const faults: Fault[] = [];
      const entry = this.entryOf(text, faults);
      if (entry !== null) entries.set(entry.name, entry);
      else if (faults.length > 0) this.tellOnce(text, faults[0]!);
    }
    return [...entries.values()];
  }

  /** null: our own, or none that can be read. */
  private entryOf(text: string, faults: Fault[]): RemoteEntry | null {
    const { own } = this;
    let value: unknown;
    try {
      value = text.length > mostLetters ? null : JSON.parse(text);
    } catch {
      value = null;
    }
    const { id, address } = (value ?? {}) as Record<string, unknown>;
    if (typeof id === 'string' && id === own?.id) return null;
    return readEntry(value === null ? null : { name: id, address }, 'announcement', faults);
  }

  private tellOnce(text: string, fault: Fault): void {
    if (this.unreadable.has(text) || this.unreadable.size >= mostRemotes) return;
    this.unreadable.add(text);
    this.options.onUnreadable(`${fault.path} ${fault.value}: ${fault.limit}`);
  }

  /** An outage must not hold the next turn up. */
  private inTime<T>(command: Promise<T>): Promise<T> {
    const limitMs = Math.max(200, this.options.leaseMs / 3);
    return within(limitMs, command, () => new Error(`no answer of Redis in ${limitMs} ms`));
  }
}
