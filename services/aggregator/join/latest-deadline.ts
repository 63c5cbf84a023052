/** The latest of deadlines that come and go, Unix ms; found anew only where the latest one has gone. */
export class LatestDeadline {
  private readonly counts = new Map<number, number>();
  /** Null: to be looked for. */
  private known: number | null = 0;

  add(deadline: number): void {
    this.counts.set(deadline, (this.counts.get(deadline) ?? 0) + 1);
    if (this.known !== null) this.known = Math.max(this.known, deadline);
  }

  /** One that was added. */
  remove(deadline: number): void {
    const left = this.counts.get(deadline)! - 1;
    if (left > 0) return void this.counts.set(deadline, left);
    this.counts.delete(deadline);
    if (deadline === this.known) this.known = null;
  }

  /** 0 where there is none. */
  get latest(): number {
    if (this.known !== null) return this.known;
    let latest = 0;
    for (const deadline of this.counts.keys()) latest = Math.max(latest, deadline);
    return (this.known = latest);
  }
}
