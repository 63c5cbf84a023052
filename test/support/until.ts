import { setTimeout as sleep } from 'node:timers/promises';

/** Generous: a machine may be busy with much else. What should be quick is judged by order, not by the clock. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** Asks again and again until it holds; rejects, naming it, when it doesn't within the time. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(10);
  }
}

/** For what a machine may miss that does much else at the time: one of some attempts has to succeed. */
export async function atBestOf(attempts: number, attempt: (number: number) => Promise<void>): Promise<void> {
  for (let number = 1; number < attempts; number++) {
    try {
      return await attempt(number);
    } catch {
      // The last one says why.
    }
  }
  await attempt(attempts);
}
