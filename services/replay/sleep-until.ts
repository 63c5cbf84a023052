import { setTimeout as sleep } from 'node:timers/promises';

/** Rejects with the signal's reason where it is aborted first. */
export async function sleepUntil(unixMs: number, signal: AbortSignal): Promise<void> {
  const ms = unixMs - Date.now();
  if (ms > 0) await sleep(ms, null, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
