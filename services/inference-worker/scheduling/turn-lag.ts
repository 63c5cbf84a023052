/** Of what was seen once; forgotten by half in some 14 observations. */
const keptShare = 0.95;
/** Longer stops are no lag: the machine, or the process, stood still. */
const mostMs = 50;

/** How late this thread's turn comes, near the worst of late: by so much more a device needs to have to do. */
export class TurnLag {
  private worst = 0;

  get ms(): number {
    return this.worst;
  }

  observe(lateMs: number): void {
    this.worst = Math.max(Math.min(lateMs, mostMs), this.worst * keptShare);
  }
}
