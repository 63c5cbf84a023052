import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodes, RoundhouseError } from '#schemas/errors';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Repeats an attempt while the error table says that it may help and there is time; `index` counts the
 * attempts, so that a caller with several addresses can take the next one.
 */
export async function retry<T>(attempt: (index: number) => Promise<T>, giveUpAt: number): Promise<T> {
  let pauseMs = FIRST_PAUSE_MS;
  for (let index = 0; ; index += 1) {
    try {
      return await attempt(index);
    } catch (error) {
      const helps = error instanceof RoundhouseError && errorCodes[error.code].retry !== 'never';
      if (!helps || Date.now() + pauseMs >= giveUpAt) throw error;
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }
}
