const pauseMs = 1;

/** Work that waits for slots or for room in a ring, first come, first served. */
export class WaitingLine {
  private readonly attempts: (() => boolean)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private advancing = false;

  get length(): number {
    return this.attempts.length;
  }

  /** `attempt` returns false to stay in the line. */
  join(attempt: () => boolean, place: 'first' | 'last' = 'last'): void {
    if (place === 'first') this.attempts.unshift(attempt);
    else this.attempts.push(attempt);
    this.timer ??= setInterval(() => this.advance(), pauseMs);
  }

  advance(): void {
    if (this.advancing) return;
    this.advancing = true;
    try {
      // An attempt may let others join before it returns: it is not in the line meanwhile.
      for (let attempt = this.attempts.shift(); attempt !== undefined; attempt = this.attempts.shift()) {
        if (attempt()) continue;
        this.attempts.unshift(attempt);
        break;
      }
    } finally {
      this.advancing = false;
    }
    if (this.attempts.length === 0) this.clear();
  }

  clear(): void {
    this.attempts.length = 0;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
