const firstMs = 5;
const longestMs = 200;
/** Of the time that is left: so there are always a few more attempts. */
const share = 1 / 8;

/**
 * How long to wait before a busy engine is asked again: twice as long each time, spread, so that those who were
 * refused together don't come together. null: no time for another attempt. `attempt` counts from 0.
 */
export function busyPause(attempt: number, leftMs: number, random: number = Math.random()): number | null {
  const most = Math.min(firstMs * 2 ** attempt, longestMs, leftMs * share);
  const pause = Math.max(firstMs, most) * (0.5 + random / 2);
  return pause < leftMs ? pause : null;
}
