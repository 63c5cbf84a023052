import { setImmediate } from 'node:timers/promises';

/**
 * Takes the steps one at a time, with whatever waits for the event loop before each of them, until `isOver`. For work
 * that nobody waits for: where a step throws, the rest is left out.
 */
export async function stepsInBetween(steps: Iterable<unknown>, isOver: () => boolean): Promise<void> {
  const iterator = steps[Symbol.iterator]();
  for (;;) {
    await setImmediate();
    if (isOver()) return;
    try {
      if (iterator.next().done) return;
    } catch {
      return;
    }
  }
}
