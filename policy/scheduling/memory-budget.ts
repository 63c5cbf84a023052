/** Bytes that are given out and come back; never more than there are. */
export class MemoryBudget {
  private used = 0;
  private most = 0;

  constructor(readonly totalBytes: number) {}

  get usedBytes(): number {
    return this.used;
  }

  get peakBytes(): number {
    return this.most;
  }

  hasRoom(bytes: number): boolean {
    return this.used + bytes <= this.totalBytes;
  }

  take(bytes: number): void {
    if (!this.hasRoom(bytes)) throw new RangeError(`${bytes} bytes of ${this.totalBytes - this.used} left`);
    this.used += bytes;
    this.most = Math.max(this.most, this.used);
  }

  giveBack(bytes: number): void {
    this.used -= bytes;
  }
}
