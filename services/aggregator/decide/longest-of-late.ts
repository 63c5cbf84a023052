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
    let most = ms;
    for (const [at, longest] of this.longest) {
      // A clock that was set back: as if it were of now, else it would count until the clock is there again.
      if (at > span) most = Math.max(most, longest);
      if (at > span || at <= span - SPANS) this.longest.delete(at);
    }
    this.longest.set(span, Math.max(this.longest.get(span) ?? 0, most));
  }

  ms(): number {
    const since = this.span() - SPANS;
    return [...this.longest].reduce((most, [span, ms]) => (span > since ? Math.max(most, ms) : most), 0);
  }

  private span(): number {
    return Math.floor(this.now() / SPAN_MS);
  }
}
