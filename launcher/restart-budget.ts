const windowMs = 60_000;
const restartsInWindow = 5;
const firstDelayMs = 200;
const longestDelayMs = 5_000;

/** At most five restarts in a minute, each after twice the delay of the one before. */
export class RestartBudget {
  #restarts: number[] = [];

  /** Milliseconds to wait before the next restart; null when there have been too many. */
  nextDelayMs(nowMs: number): number | null {
    this.#restarts = this.#restarts.filter((at) => nowMs - at < windowMs);
    if (this.#restarts.length >= restartsInWindow) return null;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** this.#restarts.length);
    this.#restarts.push(nowMs);
    return delayMs;
  }
}
