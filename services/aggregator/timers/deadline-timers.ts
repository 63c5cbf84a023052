import { LONGEST_TIMER_MS } from '#lib/longest-timer';
import { firstStart, type Due } from './due-schedule';

/** Rounds that come together are planned together. */
const PLAN_AFTER_MS = 25;

interface Waiting extends Due {
  readonly key: string;
  onDue(): void;
}

/**
 * The authority on deadlines while this process lives: every key becomes due once, in the order of their times,
 * and earlier where so many are due together that the last of them would have to wait.
 */
export class DeadlineTimers {
  private readonly byKey = new Map<string, Waiting>();
  private sorted: Waiting[] | null = [];
  private timer: NodeJS.Timeout | null = null;
  private planAt = Infinity;

  set(key: string, due: Due, onDue: () => void): void {
    this.byKey.set(key, { key, ...due, onDue });
    this.sorted = null;
    const soon = Date.now() + PLAN_AFTER_MS;
    this.wakeAt(Math.min(this.planAt, soon, Math.max(due.at, Date.now())));
  }

  clear(key: string): void {
    if (this.byKey.delete(key)) this.sorted = null;
    if (this.byKey.size === 0) this.clearAll();
  }

  clearAll(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.planAt = Infinity;
    this.byKey.clear();
    this.sorted = [];
  }

  private wakeAt(at: number): void {
    if (this.timer !== null && at === this.planAt) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.planAt = at;
    const leftMs = Math.min(Math.max(0, at - Date.now()), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => this.plan(), leftMs);
  }

  /** Whatever has to begin now begins; the next look is when the first of the rest has to. Also for a clock that was set. */
  plan(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.planAt = Infinity;
    const waiting = (this.sorted ??= [...this.byKey.values()].sort((a, b) => a.at - b.at));
    const start = firstStart(waiting);
    if (start > Date.now()) {
      if (waiting.length > 0) this.wakeAt(start);
      return;
    }
    const first = waiting.shift()!;
    this.byKey.delete(first.key);
    if (waiting.length > 0) this.wakeAt(Date.now());
    first.onDue();
  }
}
