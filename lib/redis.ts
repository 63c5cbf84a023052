import { Redis, type RedisOptions } from 'ioredis';
import type { RedisSecurity } from './redis-security';
import type { Logger } from './telemetry';
import { waitFor } from './wait-for';

export type { Redis } from 'ioredis';

export interface RedisConnectOptions {
  readonly url: string;
  /** Of `redisAccess(config)`; absent: what the URL says. */
  readonly security?: RedisSecurity;
  readonly name: string;
  readonly logger: Logger;
  /** Passed to ioredis over our defaults (BullMQ needs `maxRetriesPerRequest: null`). */
  readonly redis?: RedisOptions;
}

/** The URL without its password. */
export function redisAddress(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || '6379'}`;
}

/** Also those that are made after it (BullMQ makes some): each connects with the password of that moment. */
function followPassword(client: Redis, security: RedisSecurity): Redis {
  const get = () => security.password;
  Object.defineProperty(client.options, 'password', { get, enumerable: true, configurable: true });
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => followPassword(duplicate(override), security);
  return client;
}

/**
 * The only maker of ioredis clients: one that connects in the background and reconnects for ever, at most 250 ms apart. Commands issued
 * during an outage wait in its queue; callers that must not wait give them a time-out.
 */
export function createRedis({ url, security, name, logger, redis }: RedisConnectOptions): Redis {
  const client = new Redis(url, {
    connectionName: name,
    lazyConnect: true,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(20 * 2 ** Math.min(times, 5), 250),
    ...security,
    ...redis,
  });
  if (security?.password !== undefined) followPassword(client, security);
  let down = false;
  client.on('error', (error: Error) => {
    if (!down) logger.warn({ event: 'RedisLost', address: redisAddress(url), reason: error.message });
    down = true;
  });
  client.on('ready', () => {
    if (down) logger.info({ event: 'RedisRestored', address: redisAddress(url) });
    down = false;
  });
  return client;
}

/** Resolves when Redis answers; rejects with DEPENDENCY_ABSENT, naming its address. */
export async function waitForRedis(
  client: Redis,
  options: {
    readonly url: string;
    readonly timeoutMs: number;
    readonly logger: Logger;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  if (client.status === 'wait') client.connect().catch(() => undefined);
  await waitFor(
    async () => {
      if (client.status !== 'ready') throw new Error(`not connected (${client.status})`);
      await client.ping();
    },
    { what: `Redis at ${redisAddress(options.url)}`, ...options },
  );
}

/** Waits for the commands on their way, at most `graceMs`, then cuts the connection. */
export async function closeRedis(client: Redis, graceMs = 1_000): Promise<void> {
  if (client.status !== 'ready') return client.disconnect();
  const ended = new Promise((resolve) => client.once('end', resolve));
  const cut = setTimeout(() => client.disconnect(), graceMs);
  await client.quit().catch(() => client.disconnect());
  await ended;
  clearTimeout(cut);
}
