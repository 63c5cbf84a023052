/** Our clock against the broker's, as it was measured last. */
export class BrokerClock {
  private lastMs = 0;

  /** `ask` rejects where our clock is wrong by too much. */
  constructor(private readonly ask: () => Promise<number>) {}

  /** Ours minus the broker's. */
  async measure(): Promise<number> {
    this.lastMs = await this.ask();
    return this.lastMs;
  }

  /** A time of our clock, Unix ms, as the broker's has it. */
  brokersTime(at: number): number {
    return Math.round(at - this.lastMs);
  }
}
