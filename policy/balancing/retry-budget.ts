/**
 * Retries as a share of attempts, and a few each second besides: what is broken for everybody is not asked twice as
 * often for it.
 */
export class RetryBudget {
  private tokens: number;
  private atMs = -Infinity;

  constructor(
    private readonly share: number,
    private readonly reserve: number,
    private readonly perSecond: number,
  ) {
    this.tokens = reserve;
  }

  get left(): number {
    return this.tokens;
  }

  /** For each first attempt. */
  earn(): void {
    this.add(this.share);
  }

  /** false: no retry now. */
  take(nowMs: number): boolean {
    if (this.atMs > -Infinity) this.add((Math.max(0, nowMs - this.atMs) / 1_000) * this.perSecond);
    this.atMs = nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  private add(tokens: number): void {
    this.tokens = Math.min(this.reserve, this.tokens + tokens);
  }
}
