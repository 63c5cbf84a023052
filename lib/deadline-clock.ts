/** Timers fire up to a millisecond early. */
const graceMs = 1;
const longestMs = 60_000;

/**
 * One timer for many deadlines: it is set to the earliest one and not touched when a request ends in time, so
 * that a request costs no timer of its own.
 */
export class DeadlineClock {
  private timer: NodeJS.Timeout | undefined;
  private setTo = Infinity;

  /** `expire` gets the time and returns the next deadline, Infinity for none. */
  constructor(private readonly expire: (now: number) => number) {}

  expect(deadlineMs: number): void {
    if (deadlineMs >= this.setTo) return;
    clearTimeout(this.timer);
    this.setTo = deadlineMs;
    const wait = Math.min(Math.max(0, deadlineMs - Date.now()) + graceMs, longestMs);
    this.timer = setTimeout(() => {
      this.setTo = Infinity;
      this.expect(this.expire(Date.now()));
    }, wait);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.setTo = Infinity;
  }
}
