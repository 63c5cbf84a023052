const TICK_MS = 50;
/** A tick that comes so much late is a stall. */
const STALL_MS = 50;
const KEEP_MS = 60_000;

/** When our own event loop stood still: what came late by that is no fault of those who answered. */
export class LoopStalls {
  private readonly stalls: { readonly from: number; readonly to: number }[] = [];
  private lastTick = Date.now();
  private timer: NodeJS.Timeout | null = null;

  start(): void {
    this.lastTick = Date.now();
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
  }

  /** Of a time span until now at most, what we stood still. */
  stalledMs(from: number, to: number): number {
    this.tick();
    const overlaps = this.stalls.map((stall) => Math.min(stall.to, to) - Math.max(stall.from, from));
    return overlaps.reduce((sum, ms) => sum + Math.max(0, ms), 0);
  }

  private tick(): void {
    const now = Date.now();
    const dueAt = this.lastTick + TICK_MS;
    if (now - dueAt > STALL_MS) this.stalls.push({ from: dueAt, to: now });
    this.lastTick = now;
    while (this.stalls[0] !== undefined && this.stalls[0].to < now - KEEP_MS) this.stalls.shift();
  }
}
