import { closeRedis, createRedis, redisAddress, type Redis, type RedisConnectOptions } from '#lib/redis';
import type { Logger } from '#lib/telemetry';
import type { Episodes } from '#policy/operations/episodes';
import {
  isSameList,
  readEpisodes,
  writeEpisodes,
  type StoredEpisode,
} from '#policy/operations/stored-episodes';

/** As long as the list goes back. */
const ttlMs = 12 * 3_600_000;
const mostBytes = 256 * 1024;
/** While something stands the list changes at every look. */
const leastPauseMs = 5_000;
const patienceMs = 1_000;
/** So many pauses long nobody looks whether another console wrote over what is kept. */
const looksEvery = 12;

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
 * wrote since is taken in first. One that writes between our reading and our writing has its own in memory, and finds within a
 * minute, or at its end, that what is there lacks it.
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
  private looksAt = -Infinity;
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
      await this.write();
      this.fault = this.told = null;
    } catch (error) {
      this.fault = error instanceof Error ? error.message : String(error);
      if (this.told === null) this.options.logger.warn({ event: 'RecentlyNotKept', reason: this.fault });
      this.told = this.fault;
    }
  }

  private async read(): Promise<void> {
    this.keptText = await this.redis.get(this.key);
    this.hasRead = true;
    const ahead = this.episodes.restore(listIn(this.keptText), Date.now());
    if (ahead > 0) this.options.logger.warn({ event: 'RecentlyOfTheFuture', entries: ahead });
  }

  /** Where something changed here, or there. */
  private async write(): Promise<void> {
    const isSame = this.episodes.version === this.keptVersion;
    if (isSame && performance.now() < this.looksAt) return;
    const stored = await this.redis.get(this.key);
    this.looksAt = performance.now() + looksEvery * this.pauseMs;
    const isOurs = stored === this.keptText;
    if (isOurs && isSame) return;
    const others = isOurs ? [] : listIn(stored);
    if (others.length > 0) this.episodes.merge(others, Date.now());
    const { version } = this.episodes;
    const text = writeEpisodes(this.episodes.stored(), mostBytes);
    const isThere = isSameList(readEpisodes(text), listIn(stored));
    if (!isThere) await this.redis.set(this.key, text, 'PX', ttlMs);
    this.keptText = isThere ? stored : text;
    this.keptVersion = version;
  }

  async close(): Promise<void> {
    await this.keep();
    this.looksAt = -Infinity;
    await this.keep();
    await closeRedis(this.redis);
  }
}

/** Longer ones are not ours. */
function listIn(text: string | null): readonly StoredEpisode[] {
  return text === null || text.length > mostBytes ? [] : readEpisodes(text);
}
