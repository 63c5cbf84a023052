import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, DrillContext } from '../drill';
import type { Stand } from '../stand/stand';
import { allDecided, type Published } from './decided';
import { Sender } from './sender';
import { standing, verdictOf, type Verdict } from './verdict';

interface LoadShape {
  readonly everyMs?: number;
  readonly deadlineMs?: number;
  /** Of load before and after the fault. */
  readonly beforeMs?: number;
  readonly afterMs?: number;
  readonly late?: 'never' | 'counted';
  /** More checks, of what was decided. */
  then?(verdict: Verdict, published: ReadonlyMap<string, readonly Published[]>): Check[];
}

let runs = 0;
/** Sets the rounds of drills apart. */
export const nextRun = (name: string): string => `${name}-${process.pid}-${++runs}`;

export const senderTo = (stand: Stand, name: string): Sender =>
  new Sender(stand.pipeline.ingestUrl, nextRun(name));

/** A fault in the middle of steady rounds: what the fault measured, then whether nothing was lost, late or decided twice. */
export async function underLoad(
  { stand, note }: DrillContext,
  name: string,
  shape: LoadShape,
  fault: (sender: Sender) => Promise<Check[]>,
): Promise<Check[]> {
  const { everyMs = 200, deadlineMs = 8_000, beforeMs = 1_500, afterMs = 1_500 } = shape;
  const sender = senderTo(stand, name);
  const steady = sender.steadily(everyMs, deadlineMs);
  try {
    await sleep(beforeMs);
    const measured = await fault(sender);
    await sleep(afterMs);
    await sender.stop();
    await steady;
    const published = await allDecided(stand, sender.runId, sender.accepted);
    const verdict = verdictOf(sender.rounds, published);
    note(`${verdict.accepted} rounds, coverage ${verdict.coverage.toFixed(3)}`);
    return [...measured, ...(shape.then?.(verdict, published) ?? []), ...standing(verdict, shape.late)];
  } finally {
    await sender.stop();
  }
}

/** Sends rounds, one after the other, until one is decided with all of its plans; milliseconds from now to its append. */
export async function solvesAgain(stand: Stand, withinMs = 60_000): Promise<number> {
  const from = Date.now();
  const sender = new Sender(stand.pipeline.ingestUrl, nextRun('again'), 3_000);
  while (Date.now() < from + withinMs) {
    const { decision, appendedAt } = await sender.dispatch(3_000);
    if (decision?.content.coverage === 1) return appendedAt - from;
    await sleep(20);
  }
  return Infinity;
}
