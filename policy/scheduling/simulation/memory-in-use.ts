/** What is really held, by place; counted apart from the scheduler's own account. */
export class MemoryInUse {
  private readonly used = new Map<string, number>();
  readonly peaks = new Map<string, number>();

  add(place: string, bytes: number): void {
    const now = (this.used.get(place) ?? 0) + bytes;
    this.used.set(place, now);
    this.peaks.set(place, Math.max(now, this.peaks.get(place) ?? 0));
  }

  /** 0 when everything was given back. */
  leftBytes(): number {
    return [...this.used.values()].reduce((sum, bytes) => sum + bytes, 0);
  }
}
