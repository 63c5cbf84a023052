import { setTimeout as sleep } from 'node:timers/promises';
import type { WindowedConsumer } from '#lib/bus/port';
import type { ReadinessChecks } from '#lib/health';
import type { Redis } from '#lib/redis';
import type { Logger } from '#lib/telemetry';
import { RoundhouseError } from '#schemas/errors';
import type { OutageLog } from './publish/outage-log';
import { evictionFault } from './store/eviction-policy';

const POLL_MS = 250;
const POLICY_POLL_MS = 1_000;

/** What the checks look at; parts are filled in as they start. */
export interface Watched {
  redis?: Redis;
  rounds?: WindowedConsumer;
  outcomes?: WindowedConsumer;
}

export function aggregatorChecks(watched: Watched): ReadinessChecks {
  const consumer = (of: () => WindowedConsumer | undefined) => () => {
    const found = of();
    return found === undefined ? 'not started yet' : found.whyNotReady();
  };
  return {
    redis: () => redisFault(watched.redis),
    rounds: consumer(() => watched.rounds),
    outcomes: consumer(() => watched.outcomes),
  };
}

async function redisFault(redis: Redis | undefined): Promise<string | null> {
  if (redis === undefined) return 'not connected yet';
  if (redis.status !== 'ready') return `not connected (${redis.status})`;
  return evictionFault(redis);
}

/** Resolves when Redis keeps what it is given; until then the process is alive and not ready. */
export async function waitForEvictionPolicy(
  redis: Redis,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (let said = false; ; said = true) {
    if (signal.aborted) throw new RoundhouseError('SHUTTING_DOWN', 'stopped while waiting for Redis');
    const fault = await evictionFault(redis);
    if (fault === null) return;
    if (!said) logger.error({ event: 'RedisUnsuitable', reason: fault }, fault);
    await sleep(POLICY_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Keeps the log of outages: Redis by its connection, Kafka by the silence of the consumers. */
export function watchOutages(watched: Required<Watched>, outages: OutageLog): () => void {
  watched.redis.on('close', () => outages.began('redis'));
  watched.redis.on('ready', () => outages.over('redis'));
  let silent = false;
  const timer = setInterval(() => {
    const isSilent = (watched.rounds.whyNotReady() ?? watched.outcomes.whyNotReady()) !== null;
    if (isSilent && !silent) outages.began('kafka');
    if (!isSilent && silent) outages.over('kafka');
    silent = isSilent;
  }, POLL_MS);
  return () => clearInterval(timer);
}
