import { LONGEST_TIMER_MS } from '#lib/longest-timer';
import type { OpenRound } from './open-round';

/** The claim of an overdue round waits so long for those of older ones. */
const OVERDUE_WAITS_MS = 2_000;

/**
 * Claims of a zone are sent in the order of its rounds, wherever these are decided. One whose own time runs out, Unix ms, waits
 * no longer: the older ones will be stale.
 */
export async function afterOlder(older: readonly OpenRound[], until: number | null): Promise<void> {
  if (older.length === 0) return;
  const ms = until === null ? OVERDUE_WAITS_MS : Math.max(0, Math.min(until - Date.now(), LONGEST_TIMER_MS));
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([Promise.all(older.map(({ hasLeft }) => hasLeft)), timeUp]);
  clearTimeout(timer);
}
