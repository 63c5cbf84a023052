/** When a remote was seen to be bad: from the first attempt that could tell to when it got nothing more. */
export class Sightings {
  private spoiledAtMs = Infinity;
  private readonly firstMs = new Map<string, number>();
  private readonly outMs = new Map<string, number>();

  spoiled(nowMs: number): void {
    this.spoiledAtMs = nowMs;
  }

  /** An attempt has ended that began `elapsedMs` before. */
  answered(name: string, elapsedMs: number, nowMs: number): void {
    if (nowMs < this.spoiledAtMs) return;
    const couldTellMs = Math.max(this.spoiledAtMs, nowMs - elapsedMs);
    this.firstMs.set(name, Math.min(couldTellMs, this.firstMs.get(name) ?? Infinity));
  }

  usable(name: string, isUsable: boolean, nowMs: number): void {
    if (!isUsable && nowMs >= this.spoiledAtMs && !this.outMs.has(name)) this.outMs.set(name, nowMs);
  }

  /** null: it got nothing after it was spoiled, or was never out. */
  seenMs(name: string): number | null {
    const [first, out] = [this.firstMs.get(name), this.outMs.get(name)];
    return first === undefined || out === undefined ? null : Math.max(0, out - first);
  }
}
