/** So long a time that was seen says something of the next one. */
const KEEP_MS = 3_000;
const KEEP = 512;
/** Fewer may be one stall, which must not cost the rounds behind it. */
const TELLING = 3;
const SHARE = 0.9;

interface Seen {
  readonly at: number;
  readonly ms: number;
}

/** What something took of late: nine of ten took no longer, nor has what is under way now. */
export class RecentTimes {
  private seen: Seen[] = [];
  /** The oldest first. */
  private readonly underWay = new Set<{ readonly at: number }>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly keepMs = KEEP_MS,
  ) {}

  /** Call the function returned when it is over. */
  begins(): () => void {
    const own = { at: this.now() };
    this.underWay.add(own);
    return () => {
      if (this.underWay.delete(own)) this.took(this.now() - own.at);
    };
  }

  took(ms: number, at = this.now()): void {
    if (at < this.now() - this.keepMs) return;
    this.seen.push({ at, ms: Math.max(0, ms) });
    if (this.seen.length > KEEP) this.seen.shift();
  }

  ms(): number {
    const now = this.now();
    this.seen = this.seen.filter(({ at }) => at >= now - this.keepMs);
    const [oldest] = this.underWay;
    return Math.max(oldest === undefined ? 0 : now - oldest.at, this.usual());
  }

  private usual(): number {
    if (this.seen.length < TELLING) return 0;
    const sorted = this.seen.map(({ ms }) => ms).sort((a, b) => a - b);
    return sorted[Math.ceil(SHARE * sorted.length) - 1]!;
  }
}
