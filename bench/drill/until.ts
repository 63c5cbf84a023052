import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until it holds; rejects, naming it, when it doesn't within the time. Resolves to the milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 60_000,
): Promise<number> {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(10);
  }
  return performance.now() - from;
}
