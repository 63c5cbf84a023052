/** Closes that are remembered, and for how long. */
const KEEP = 256;
const KEEP_MS = 300_000;
const MAX_BUDGET_MS = 5_000;

/** A close longer than this may be one stall of the process or of the broker. */
const ORDINARY_MS = 500;
/** What deciding takes a candidate at most on a busy machine; the budget is for what comes on top. */
const MS_PER_CANDIDATE = 0.03;
/** Closes of one such span are one observation. */
const STALL_SPAN_MS = 10_000;

interface Close {
  readonly at: number;
  readonly ms: number;
}

/**
 * The largest recent close plus a margin, bounded: so long before its deadline a round begins to close. What a
 * close took beyond half a second counts only when it is seen again later: one stall must not cost the rounds
 * of the next minutes their time.
 */
export class CloseBudget {
  private recent: Close[] = [];

  constructor(
    private readonly marginMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  record(ms: number, candidates: number): void {
    this.recent.push({ at: this.now(), ms: Math.max(0, ms - MS_PER_CANDIDATE * candidates) });
    if (this.recent.length > KEEP) this.recent.shift();
  }

  budgetMs(): number {
    const since = this.now() - KEEP_MS;
    this.recent = this.recent.filter(({ at }) => at >= since);
    const [largest = 0, second = 0] = largestBySpan(this.recent);
    const expected = Math.max(second, Math.min(largest, ORDINARY_MS));
    return Math.min(MAX_BUDGET_MS, Math.ceil(expected) + this.marginMs);
  }

  /** Unix ms at which closing begins; at most half of a short round's time is given up. */
  closeAt(acceptedAt: number, deadline: number, candidates: number): number {
    const half = Math.max(0, deadline - acceptedAt) / 2;
    const needed = Math.min(MAX_BUDGET_MS, this.budgetMs() + Math.ceil(MS_PER_CANDIDATE * candidates));
    return deadline - Math.min(needed, half);
  }
}

function largestBySpan(closes: readonly Close[]): number[] {
  const spans = new Map<number, number>();
  for (const { at, ms } of closes) {
    const span = Math.floor(at / STALL_SPAN_MS);
    spans.set(span, Math.max(spans.get(span) ?? 0, ms));
  }
  return [...spans.values()].sort((a, b) => b - a);
}
