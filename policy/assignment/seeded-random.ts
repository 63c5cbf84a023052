/** Marsaglia's xorshift with 32 bits: the same sequence on every machine. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0 || 1;
  }

  /** Whole, 0 ≤ result < limit. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** 0 ≤ result < 1 */
  unit(): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) / 4294967296;
  }
}
