import { LongestOfLate } from './longest-of-late';

/** A hand-over may take so much of the close margin, or more where it took more of late. */
const SHARE_OF_MARGIN = 1 / 3;
/** What it took of late may be so many times as long for the next one. */
const SPARE = 1.5;

/** Decisions on their way to Redis and Kafka: what that took of late, and has taken by now. */
export class HandOvers<T> {
  /** Since when, the oldest first. */
  private readonly underWay = new Map<T, number>();
  private readonly longest: LongestOfLate;

  constructor(
    private readonly closeMarginMs: number,
    private readonly now: () => number = Date.now,
  ) {
    this.longest = new LongestOfLate(now);
  }

  began(round: T): void {
    this.ended(round);
    this.underWay.set(round, this.now());
  }

  /** Also for a round of which none began. */
  ended(round: T): void {
    const since = this.underWay.get(round);
    if (since === undefined) return;
    this.underWay.delete(round);
    this.longest.took(this.now() - since);
  }

  /** What the next one has to be given: more than any took of late, and than what is under way has taken by now. */
  neededMs(): number {
    const longestMs = Math.max(this.oldestMs(), this.longest.ms());
    return Math.max(SHARE_OF_MARGIN * this.closeMarginMs, SPARE * longestMs);
  }

  private oldestMs(): number {
    const [oldest] = this.underWay.values();
    return oldest === undefined ? 0 : this.now() - oldest;
  }
}
