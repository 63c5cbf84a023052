const LONGEST_TIMER_MS = 2_000_000_000;

/** One local timer a key: the authority on deadlines while this process lives. */
export class DeadlineTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  set(key: string, at: number, onDue: () => void): void {
    this.clear(key);
    const leftMs = Math.max(0, at - Date.now());
    const isLast = leftMs <= LONGEST_TIMER_MS;
    const timer = setTimeout(
      () => {
        this.timers.delete(key);
        if (isLast) onDue();
        else this.set(key, at, onDue);
      },
      isLast ? leftMs : LONGEST_TIMER_MS,
    );
    this.timers.set(key, timer);
  }

  clear(key: string): void {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
  }

  clearAll(): void {
    for (const key of [...this.timers.keys()]) this.clear(key);
  }
}
