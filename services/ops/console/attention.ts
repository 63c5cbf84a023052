/** Who asks at least so often wants figures of now; others are served by those of some seconds ago. */
const ASKED_MS = 10_000;
/** Times the interval, while nobody looks. */
const SELDOM = 4;
/** What is kept holds for so long, whatever the interval. */
const MOST_MS = 10_000;

/** How often looks are worth their while. */
export class Attention {
  private askedAt = -Infinity;

  constructor(
    private readonly intervalMs: number,
    private readonly viewers: () => number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** For metrics or problems, by a program. */
  asked(): void {
    this.askedAt = this.now();
  }

  paceMs(): number {
    const isWatched = this.viewers() > 0 || this.now() - this.askedAt < ASKED_MS;
    const seldomMs = Math.max(this.intervalMs, Math.min(SELDOM * this.intervalMs, MOST_MS));
    return isWatched ? this.intervalMs : seldomMs;
  }
}
