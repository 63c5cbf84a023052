/** So many a second, and as many at once after a pause. */
export class TokenBucket {
  private tokens: number;
  private filledMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = perSecond;
    this.filledMs = now();
  }

  take(): boolean {
    const nowMs = this.now();
    const grown = ((nowMs - this.filledMs) / 1_000) * this.perSecond;
    this.tokens = Math.min(this.perSecond, this.tokens + grown);
    this.filledMs = nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
