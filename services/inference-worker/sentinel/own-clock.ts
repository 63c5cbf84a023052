/**
 * Milliseconds of our own running time: of a time in which this process, or the machine, stood still no more
 * than two ticks count. `onTick` is called after what came in during a tick has been read.
 */
export class OwnClock {
  private ms = 0;
  private lastMs = performance.now();
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(
    private readonly tickMs: number,
    private readonly onTick: () => void,
  ) {
    this.timer = setInterval(() => this.tick(), tickMs);
    this.timer.unref();
  }

  now(): number {
    return this.ms + this.sinceLast();
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
  }

  private sinceLast(): number {
    return Math.min(performance.now() - this.lastMs, 2 * this.tickMs);
  }

  private tick(): void {
    this.ms += this.sinceLast();
    this.lastMs = performance.now();
    setImmediate(() => this.closed || this.onTick());
  }
}
