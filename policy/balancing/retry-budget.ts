/** Retries as a share of attempts: what is broken for everybody is not asked twice as often for it. */
export class RetryBudget {
  private tokens: number;

  constructor(
    private readonly share: number,
    private readonly reserve: number,
  ) {
    this.tokens = reserve;
  }

  get left(): number {
    return this.tokens;
  }

  /** For each first attempt. */
  earn(): void {
    this.tokens = Math.min(this.reserve, this.tokens + this.share);
  }

  /** false: no retry now. */
  take(): boolean {
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
