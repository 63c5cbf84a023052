/** Closes that are remembered, and for how long. */
const KEEP = 256;
const KEEP_MS = 300_000;
const MAX_BUDGET_MS = 5_000;

/** The largest recent close plus a margin, bounded: so long before its deadline a round begins to close. */
export class CloseBudget {
  private recent: { readonly at: number; readonly ms: number }[] = [];

  constructor(
    private readonly marginMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  record(ms: number): void {
    this.recent.push({ at: this.now(), ms });
    if (this.recent.length > KEEP) this.recent.shift();
  }

  budgetMs(): number {
    const since = this.now() - KEEP_MS;
    this.recent = this.recent.filter(({ at }) => at >= since);
    const largest = this.recent.reduce((most, { ms }) => Math.max(most, ms), 0);
    return Math.min(MAX_BUDGET_MS, Math.ceil(largest) + this.marginMs);
  }

  /** Unix ms at which closing begins; at most half of a short round's time is given up. */
  closeAt(acceptedAt: number, deadline: number): number {
    const half = Math.max(0, deadline - acceptedAt) / 2;
    return deadline - Math.min(this.budgetMs(), half);
  }
}
