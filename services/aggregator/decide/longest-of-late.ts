const SPAN_MS = 1_000;
const SPANS = 10;

/**
 * The longest of what was seen in the last ten seconds: longer than the pauses lie apart that come again and again (collections of
 * garbage, a broker's among them).
 */
export class LongestOfLate {
  /** By the number of the span. */
  private readonly longest = new Map<number, number>();

  constructor(private readonly now: () => number = Date.now) {}

  took(ms: number): void {
    const span = this.span();
    this.longest.set(span, Math.max(this.longest.get(span) ?? 0, ms));
    for (const old of this.longest.keys()) if (old <= span - SPANS) this.longest.delete(old);
  }

  ms(): number {
    const since = this.span() - SPANS;
    return [...this.longest].reduce((most, [span, ms]) => (span > since ? Math.max(most, ms) : most), 0);
  }

  private span(): number {
    return Math.floor(this.now() / SPAN_MS);
  }
}
