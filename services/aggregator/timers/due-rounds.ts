import type { OpenRound } from '../join/open-round';

/** Time for overdue rounds to gather, so that they are decided in the order of their deadlines. */
const GATHER_MS = 20;

/**
 * Closes on their way at once. They begin in deadline order and wait for Redis together, whose answers come in
 * the order of the questions; more would decide many rounds in one turn of the event loop, and none could be sent.
 */
const AT_ONCE = 8;

/** Rounds whose close is due: closed in deadline order, a few at once, while Redis is there. */
export class DueRounds {
  private waiting: OpenRound[] = [];
  private timer: NodeJS.Timeout | null = null;
  private draining = false;

  constructor(
    private readonly close: (round: OpenRound) => Promise<void>,
    private readonly onFault: (round: OpenRound, error: unknown) => void,
    private readonly mayClose: () => boolean,
    private readonly onDrained: (rounds: readonly OpenRound[], ms: number) => void = () => undefined,
  ) {}

  /** `gather`: others may follow that are due earlier. */
  add(round: OpenRound, gather: boolean): void {
    this.waiting.push(round);
    this.schedule(gather ? GATHER_MS : 0);
  }

  /** Redis is there again. */
  resume(): void {
    if (this.waiting.length > 0 && this.mayClose()) this.schedule(0);
  }

  private schedule(ms: number): void {
    if (this.draining || (this.timer !== null && ms > 0)) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.drain(), ms);
  }

  private async drain(): Promise<void> {
    this.timer = null;
    this.draining = true;
    const begin = performance.now();
    const closed: OpenRound[] = [];
    const onTheWay = new Set<Promise<void>>();
    while (this.waiting.length > 0 && this.mayClose()) {
      this.waiting.sort((a, b) => a.round.deadline - b.round.deadline);
      const round = this.waiting.shift()!;
      closed.push(round);
      const closing = this.close(round)
        .catch((error: unknown) => this.onFault(round, error))
        .finally(() => onTheWay.delete(closing));
      onTheWay.add(closing);
      if (onTheWay.size >= AT_ONCE) await Promise.race(onTheWay);
    }
    await Promise.all(onTheWay);
    this.draining = false;
    this.onDrained(closed, performance.now() - begin);
    this.resume();
  }
}
