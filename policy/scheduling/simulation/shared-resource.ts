import { BinaryHeap } from '../binary-heap';

interface Job {
  readonly id: string;
  /** Of the resource's own time at which it is done. */
  readonly doneAt: number;
  readonly demand: number;
  readonly sequence: number;
  isGone: boolean;
}

/**
 * A resource on which all jobs make progress at once: at full speed while their demands fit into the capacity, else all
 * equally slower. No work is lost by sharing. `slowdown` divides the speed besides.
 */
export class SharedResource {
  private readonly queue = new BinaryHeap<Job>(
    (a, b) => a.doneAt < b.doneAt || (a.doneAt === b.doneAt && a.sequence < b.sequence),
  );
  private readonly jobs = new Map<string, Job>();
  private demand = 0;
  private ownTime = 0;
  private atMs = 0;
  private slowdown = 1;
  private sequence = 0;
  /** Milliseconds in which it worked, at what share of its capacity. */
  private workMs = 0;
  peakJobs = 0;

  constructor(private readonly capacity: number) {}

  get isBusy(): boolean {
    return this.jobs.size > 0;
  }

  get usedMs(): number {
    return this.workMs;
  }

  add(id: string, ms: number, demand: number, nowMs: number): void {
    this.advance(nowMs);
    const job = { id, doneAt: this.ownTime + ms, demand, sequence: this.sequence++, isGone: false };
    this.jobs.set(id, job);
    this.queue.push(job);
    this.demand += demand;
    this.peakJobs = Math.max(this.peakJobs, this.jobs.size);
  }

  remove(id: string, nowMs: number): void {
    const job = this.jobs.get(id);
    if (job === undefined) return;
    this.advance(nowMs);
    job.isGone = true;
    this.jobs.delete(id);
    this.demand = this.jobs.size === 0 ? 0 : this.demand - job.demand;
  }

  slowDown(factor: number, nowMs: number): void {
    if (factor === this.slowdown) return;
    this.advance(nowMs);
    this.slowdown = factor;
  }

  /** The next job to be done and when, if nothing changes. */
  next(): { readonly id: string; readonly atMs: number } | null {
    while (this.queue.first()?.isGone === true) this.queue.pop();
    const job = this.queue.first();
    if (job === undefined) return null;
    return { id: job.id, atMs: this.atMs + Math.max(0, job.doneAt - this.ownTime) / this.speed() };
  }

  private speed(): number {
    return Math.min(1, this.capacity / Math.max(this.demand, 1e-12)) / this.slowdown;
  }

  private advance(nowMs: number): void {
    const passed = nowMs - this.atMs;
    this.atMs = nowMs;
    if (this.jobs.size === 0) return;
    this.ownTime += passed * this.speed();
    this.workMs += passed * Math.min(1, this.demand / this.capacity);
  }
}
