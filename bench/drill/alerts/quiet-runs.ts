import { setTimeout as sleep } from 'node:timers/promises';
import { senderTo } from '../rounds/under-load';
import { Stand } from '../stand/stand';
import type { AlertWatch } from './alert-watch';

export interface QuietRuns {
  readonly runs: number;
  readonly secondsEach: number;
  /** Those that fired: none should. */
  readonly alerts: readonly string[];
}

const seconds = 40;

/** Runs without a fault, one after the other, each from its start on: what fires in them is wrong. */
export async function quietRuns(
  count: number,
  watching: (stand: Stand) => Promise<AlertWatch | null>,
  note: (text: string) => void,
): Promise<QuietRuns> {
  const fired = new Set<string>();
  for (let run = 1; run <= count; run++) {
    const stand = await Stand.start();
    const watch = await watching(stand);
    try {
      const from = Date.now();
      const sender = senderTo(stand, 'quiet');
      const steady = sender.steadily(200, 5_000);
      await sleep(seconds * 1_000);
      await sender.stop();
      await steady;
      const found = (await watch?.judge([], from, Date.now()))?.fired ?? [];
      found.forEach((name) => fired.add(name));
      note(
        `quiet run ${run} of ${count}: ${sender.accepted.length} rounds, alerts: ${found.join(', ') || 'none'}`,
      );
    } finally {
      await watch?.stop();
      await stand.stop();
    }
  }
  return { runs: count, secondsEach: seconds, alerts: [...fired] };
}
