import { closeRedis, createRedis, redisAddress, type Redis, type RedisConnectOptions } from '#lib/redis';
import type { Logger } from '#lib/telemetry';
import type { Episodes } from '#policy/operations/episodes';
import { readEpisodes, writeEpisodes, type StoredEpisode } from '#policy/operations/stored-episodes';

/** As long as the list goes back. */
const ttlMs = 12 * 3_600_000;
const mostBytes = 256 * 1024;
/** While something stands the list changes at every look. */
const leastPauseMs = 5_000;
const patienceMs = 1_000;

interface KeptOptions {
  /** Of `redisAccess(config)`. */
  readonly access: Pick<RedisConnectOptions, 'url' | 'security'>;
  readonly topicPrefix: string;
  readonly logger: Logger;
  /** Between two writes; five seconds where absent. */
  readonly pauseMs?: number;
}

/** The console does without it: it is asked again every five seconds, and nothing waits for it. */
const unhurried = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: patienceMs,
  retryStrategy: (times: number) => Math.min(250 * 2 ** Math.min(times, 5), leastPauseMs),
};

/**
 * What was wrong of late, in Redis, so that it outlives this process: just in trouble consoles are started again. Without
 * Redis it is kept in memory alone. Nothing is written before what is there was read; what another console of the deployment
 * wrote since is taken in first. One that writes between our reading and our writing has its own in memory for its next time.
 */
export class KeptEpisodes {
  private readonly redis: Redis;
  private readonly key: string;
  private readonly pauseMs: number;
  private hasRead = false;
  /** As it was read or written last. */
  private keptText: string | null = null;
  private keptVersion = -1;
  private notBefore = -Infinity;
  private running: Promise<void> | null = null;
  private fault: string | null = 'Redis was not asked yet';
  private told: string | null = null;

  constructor(
    private readonly episodes: Episodes,
    private readonly options: KeptOptions,
  ) {
    const { access, topicPrefix, logger, pauseMs } = options;
    this.pauseMs = pauseMs ?? leastPauseMs;
    this.key = `${topicPrefix}ops:recently`;
    this.redis = createRedis({ ...access, name: 'ops', logger, redis: unhurried });
  }

  /** Why it would not outlive this process; null where it does. */
  whyNot(): string | null {
    return this.fault;
  }

  /** Resolves when what was kept is there, or Redis doesn't answer soon. Never rejects. */
  async open(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, patienceMs).unref());
    const connected = this.redis.connect().catch(() => undefined);
    await Promise.race([connected.then(() => this.keep()), late]);
  }

  /** Behind a look: writes what changed, seldom. */
  soon(): void {
    if (performance.now() < this.notBefore) return;
    this.notBefore = performance.now() + this.pauseMs;
    void this.keep();
  }

  private keep(): Promise<void> {
    this.running ??= this.keepOnce().finally(() => (this.running = null));
    return this.running;
  }

  private async keepOnce(): Promise<void> {
    try {
      if (this.redis.status !== 'ready')
        throw new Error(`Redis at ${redisAddress(this.options.access.url)} does not answer`);
      if (!this.hasRead) await this.read();
      if (this.hasRead && this.episodes.version !== this.keptVersion) await this.write();
      this.fault = this.told = null;
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
      if (this.told === null) this.options.logger.warn({ event: 'RecentlyNotKept', reason: this.fault });
      this.told = this.fault;
    }
  }

  private async read(): Promise<void> {
    const stored = await this.others();
    this.hasRead = true;
    const ahead = this.episodes.restore(stored, Date.now());
    if (ahead > 0) this.options.logger.warn({ event: 'RecentlyOfTheFuture', entries: ahead });
  }

  /** What is there and was not written here. */
  private async others(): Promise<readonly StoredEpisode[]> {
    const text = await this.redis.get(this.key);
    const isOurs = text === this.keptText;
    this.keptText = text;
    // Longer ones are not ours.
    return isOurs || text === null || text.length > mostBytes ? [] : readEpisodes(text);
  }

  private async write(): Promise<void> {
    const others = await this.others();
    if (others.length > 0) this.episodes.merge(others, Date.now());
    const { version } = this.episodes;
    const text = writeEpisodes(this.episodes.stored(), mostBytes);
    await this.redis.set(this.key, text, 'PX', ttlMs);
    this.keptText = text;
    this.keptVersion = version;
  }

  async close(): Promise<void> {
    await this.keep();
    await this.keep();
    await closeRedis(this.redis);
  }
}
