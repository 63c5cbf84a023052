import { setTimeout as sleep } from 'node:timers/promises';
import type { WindowedConsumer } from '#lib/bus/port';
import type { ReadinessChecks } from '#lib/health';
import type { Redis } from '#lib/redis';
import type { Logger } from '#lib/telemetry';
import { RoundhouseError } from '#schemas/errors';
import type { LoopStalls } from './publish/loop-stalls';
import type { OutageLog } from './publish/outage-log';
import { evictionFault } from './store/eviction-policy';
import type { RedisProbe } from './store/redis-probe';

const POLL_MS = 250;
const POLICY_POLL_MS = 1_000;
/** Consumers call Kafka silent after so long. */
const SILENCE_MS = 3_000;

/** What the checks look at; parts are filled in as they start. */
export interface Watched {
  redis?: Redis;
  probe?: RedisProbe;
  rounds?: WindowedConsumer;
  outcomes?: WindowedConsumer;
  /** The clock is wrong, and the process ends for it. */
  isSkewed?: boolean;
}

export function aggregatorChecks(watched: Watched): ReadinessChecks {
  const consumer = (of: () => WindowedConsumer | undefined) => () => {
    const found = of();
    return found === undefined ? 'not started yet' : found.whyNotReady();
  };
  return {
    redis: () => redisFault(watched),
    rounds: consumer(() => watched.rounds),
    outcomes: consumer(() => watched.outcomes),
  };
}

async function redisFault({ redis, probe }: Watched): Promise<string | null> {
  if (redis === undefined) return 'not connected yet';
  if (redis.status !== 'ready') return `not connected (${redis.status})`;
  return (await evictionFault(redis)) ?? (probe === undefined ? null : probe.fault());
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

/**
 * Keeps the log of outages: Redis by its answers to writes, Kafka by the silence of the consumers. After a time in
 * which we heard nothing because we stood still, there is no telling.
 */
export function watchOutages(
  watched: Required<Omit<Watched, 'isSkewed'>>,
  outages: OutageLog,
  stalls: LoopStalls,
): () => void {
  watched.probe.start();
  let silent = false;
  const timer = setInterval(() => {
    const isSilent = (watched.rounds.whyNotReady() ?? watched.outcomes.whyNotReady()) !== null;
    const now = Date.now();
    const heardNothing = stalls.stalledMs(now - SILENCE_MS, now) > SILENCE_MS / 4;
    if (isSilent && !silent && heardNothing) return;
    if (isSilent && !silent) outages.began('kafka', now - SILENCE_MS);
    if (!isSilent && silent) outages.over('kafka');
    silent = isSilent;
  }, POLL_MS);
  return () => {
    clearInterval(timer);
    watched.probe.stop();
  };
}
