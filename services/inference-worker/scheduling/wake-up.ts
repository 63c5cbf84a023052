import { LONGEST_TIMER_MS } from '#lib/longest-timer';
import { TurnLag } from './turn-lag';

/** A timer of Node is no finer. */
const leastMs = 1;
/** Woken so much too early is soon enough: it asks again. */
const tooEarlyMs = 1;

/** One timer for the next time that something may be due. It may wake too early, never more than a timer too late. */
export class WakeUp {
  private timer: NodeJS.Timeout | null = null;
  private dueMs = Infinity;

  constructor(
    private readonly wake: () => void,
    private readonly lag = new TurnLag(),
  ) {}

  /** Instead of any time before. Infinity: not at all. */
  at(atMs: number, nowMs: number): void {
    if (this.timer !== null && Math.abs(atMs - this.dueMs) < tooEarlyMs) return;
    this.cancel();
    if (atMs === Infinity) return;
    this.dueMs = atMs;
    const delayMs = Math.min(LONGEST_TIMER_MS, Math.max(leastMs, atMs - nowMs));
    this.timer = setTimeout(() => this.fire(nowMs + delayMs), delayMs);
  }

  private fire(dueMs: number): void {
    this.timer = null;
    this.lag.observe(performance.now() - dueMs);
    this.wake();
  }

  cancel(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.dueMs = Infinity;
  }
}
