/** The end offset of a partition from one time to another. */
interface Span {
  readonly end: bigint;
  readonly from: number;
  to: number;
}

const mostSpans = 512;

/**
 * When messages came to a partition, from looks at its end: so the age of the oldest one that a group has not committed
 * is known without reading it. Times are Unix ms, as exact as the looks are frequent.
 */
export class EndHistory {
  private spans: Span[] = [];

  /** `end` never falls but where the topic was made anew; what was known is forgotten then. */
  saw(end: bigint, at: number): void {
    this.followClock(at);
    const last = this.spans.at(-1);
    if (last !== undefined && end < last.end) this.spans = [];
    if (last?.end === end) last.to = at;
    else this.spans.push({ end, from: at, to: at });
    if (this.spans.length > mostSpans) this.thin();
  }

  /** Set back, it makes nothing younger: what came so long ago did so by the new time as well. */
  private followClock(at: number): void {
    const by = at - (this.spans.at(-1)?.to ?? at);
    if (by < 0) this.spans = this.spans.map(({ end, from, to }) => ({ end, from: from + by, to: to + by }));
  }

  /** Age of the message at offset `next`, the first one not committed; 0 where there is none. */
  secondsBehind(next: bigint, now: number): number {
    const after = this.spans.findIndex(({ end }) => end > next);
    if (after < 0) return 0;
    return Math.max(0, now - this.arrivedAt(next, after)) / 1_000;
  }

  /** Between the last look that did not show it and the first that did, as if messages came evenly. */
  private arrivedAt(offset: bigint, after: number): number {
    const later = this.spans[after]!;
    const earlier = this.spans[after - 1];
    if (earlier === undefined) return later.from;
    const share = Number(offset - earlier.end + 1n) / Number(later.end - earlier.end);
    return earlier.to + share * (later.from - earlier.to);
  }

  /** Every second one of the older half goes. */
  private thin(): void {
    const half = this.spans.length / 2;
    this.spans = this.spans.filter((_, index) => index >= half || index % 2 === 0);
  }
}
