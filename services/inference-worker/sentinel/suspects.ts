import { LONGEST_TIMER_MS } from '#lib/longest-timer';

/**
 * Shards that an engine was lost with go to the next one by turns: the one that ends it, too, is then known,
 * and takes none of the others with it.
 */
export class Suspects {
  private last: Promise<void> = Promise.resolve();

  /** Resolves to what ends the turn; after `mostMs` without waiting any longer. */
  async turn(mostMs: number): Promise<() => void> {
    const before = this.last;
    let end = (): void => undefined;
    const mine = new Promise<void>((resolve) => (end = resolve));
    this.last = before.then(() => mine);
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, Math.min(mostMs, LONGEST_TIMER_MS)));
    });
    await Promise.race([before, tooLong]);
    clearTimeout(timer);
    return end;
  }
}
