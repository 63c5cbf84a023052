import { setTimeout as sleep } from 'node:timers/promises';
import { RoundhouseError } from '#schemas/errors';
import type { Logger } from './telemetry';

export interface WaitOptions {
  /** Names what is waited for, with its address: "Kafka at 127.0.0.1:9092". */
  readonly what: string;
  readonly timeoutMs: number;
  readonly logger?: Logger;
  readonly signal?: AbortSignal;
  /** First pause between two attempts; it doubles up to a second. */
  readonly firstPauseMs?: number;
}

const reportEveryMs = 5_000;

/**
 * Repeats `attempt` until it resolves. Says every five seconds what it waits for. Rejects with
 * DEPENDENCY_ABSENT after the time-out and SHUTTING_DOWN when the signal fires.
 */
export async function waitFor<T>(attempt: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { what, timeoutMs, logger, signal } = options;
  const start = Date.now();
  let nextReport = start + 1_000;
  let pauseMs = options.firstPauseMs ?? 50;
  for (;;) {
    if (signal?.aborted) throw new RoundhouseError('SHUTTING_DOWN', `stopped while waiting for ${what}`);
    try {
      return await attempt();
    } catch (error) {
      const waitedMs = Date.now() - start;
      const reason = error instanceof Error ? error.message : String(error);
      if (waitedMs >= timeoutMs) {
        const message = `${what} did not answer in ${timeoutMs} ms: ${reason}`;
        throw new RoundhouseError('DEPENDENCY_ABSENT', message, [], { cause: error });
      }
      if (Date.now() >= nextReport) {
        logger?.warn({ event: 'DependencyAwaited', waitedMs, timeoutMs, reason }, `waiting for ${what}`);
        nextReport = Date.now() + reportEveryMs;
      }
      await sleep(Math.min(pauseMs, timeoutMs - waitedMs), undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, 1_000);
    }
  }
}
