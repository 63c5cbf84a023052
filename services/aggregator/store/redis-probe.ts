import type { Redis } from '#lib/redis';
import type { LoopStalls } from '../publish/loop-stalls';
import type { OutageLog } from '../publish/outage-log';

const EVERY_MS = 100;
/** A write that Redis answers later than this, our own stalls left out, was held up. */
export const SLOW_REDIS_MS = 150;

/**
 * Writes to Redis all the time, so that one which is slow, full or read-only is known as an outage from the first
 * write on that it held up or refused.
 */
export class RedisProbe {
  private timer: NodeJS.Timeout | null = null;
  private askedAt: number | null = null;

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly outages: OutageLog,
    private readonly stalls: LoopStalls,
  ) {}

  start(): void {
    this.redis.on('close', () => this.outages.began('redis'));
    this.redis.on('ready', () => void this.ask());
    this.timer = setInterval(() => this.look(), EVERY_MS);
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
  }

  /** Why Redis doesn't take what is written; null when it does. */
  async fault(): Promise<string | null> {
    try {
      await this.redis.hset(this.key, 'at', Date.now());
      return null;
    } catch (error) {
      return `Redis refuses writes: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  private look(): void {
    if (this.askedAt !== null) this.judge(this.askedAt);
    else if (this.redis.status === 'ready') void this.ask();
  }

  private async ask(): Promise<void> {
    if (this.askedAt !== null) return;
    const askedAt = Date.now();
    this.askedAt = askedAt;
    const fault = await this.fault();
    this.judge(askedAt);
    this.askedAt = null;
    if (fault === null) this.outages.over('redis');
    else this.outages.began('redis', askedAt);
  }

  private judge(askedAt: number): void {
    const now = Date.now();
    const waitedMs = now - askedAt - this.stalls.stalledMs(askedAt, now);
    if (waitedMs > SLOW_REDIS_MS) this.outages.began('redis', askedAt);
  }
}
