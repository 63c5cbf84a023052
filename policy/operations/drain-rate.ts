/** A look at a queue: what waits in it, and how much was ever taken out of it. Times are milliseconds. */
export interface QueueLook {
  readonly at: number;
  readonly backlog: number;
  readonly taken: number;
}

const memoryMs = 5_000;

/**
 * How much a second is taken out of a queue while something waits there: what its consumers can do, not what they happen
 * to be given. Between two looks that both show a backlog they were busy; other times only tell that they can do more than
 * was thought. Consumers that stand still have a rate near 0 within a few seconds.
 */
export class DrainRate {
  private last: QueueLook | null = null;
  private rate: number | null = null;

  /** Null until its consumers were seen at work without a pause: an idle queue tells nothing of a burst. */
  get perSecond(): number | null {
    return this.rate;
  }

  saw(look: QueueLook): void {
    const { last } = this;
    this.last = look;
    const elapsedMs = last === null ? 0 : look.at - last.at;
    if (last === null || elapsedMs <= 0 || look.taken < last.taken) return;
    const seen = ((look.taken - last.taken) * 1_000) / elapsedMs;
    if (last.backlog > 0 && look.backlog > 0) this.weigh(seen, elapsedMs);
    else if (this.rate !== null && seen > this.rate) this.rate = seen;
  }

  private weigh(seen: number, elapsedMs: number): void {
    const weight = 1 - Math.exp(-elapsedMs / memoryMs);
    this.rate = this.rate === null ? seen : this.rate + weight * (seen - this.rate);
  }
}
