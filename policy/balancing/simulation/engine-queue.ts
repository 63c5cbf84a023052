import type { RemoteLoad } from '../remote-load';
import type { Fault, SimulatedEngine } from './scenario';

export interface Job {
  readonly id: number;
  readonly serviceMs: number;
  readonly cameMs: number;
  readonly deadlineMs: number;
  startedMs: number;
  endsMs: number;
  isGone: boolean;
}

/** An engine with a queue; it takes shards by their arrival, and drops those past their deadline. */
export class EngineQueue {
  private readonly waiting: Job[] = [];
  private readonly running = new Set<Job>();
  private report: RemoteLoad | null = null;
  busyMs = 0;

  constructor(
    readonly engine: SimulatedEngine,
    private readonly faults: readonly Fault[],
    private readonly reportEveryMs: number,
  ) {}

  faultAt(nowMs: number): Fault | undefined {
    return this.faults.find(({ fromMs, untilMs }) => nowMs >= fromMs && nowMs < untilMs);
  }

  get inFlight(): number {
    return this.waiting.length + this.running.size;
  }

  push(job: Job): void {
    this.waiting.push(job);
  }

  /** Those that start now; each is to be ended at its `endsMs`. */
  startNext(nowMs: number): Job[] {
    const started: Job[] = [];
    while (this.running.size < this.engine.lanes && this.waiting.length > 0) {
      const job = this.waiting.shift()!;
      if (job.isGone || job.deadlineMs <= nowMs) continue;
      const fault = this.faultAt(nowMs);
      const slower = fault?.kind === 'slow' ? fault.factor : fault?.kind === 'hung' ? Infinity : 1;
      job.startedMs = nowMs;
      job.endsMs = nowMs + job.serviceMs * slower;
      this.running.add(job);
      started.push(job);
    }
    return started;
  }

  /** It is done, or nobody wants it any more. */
  leave(job: Job, nowMs: number): void {
    job.isGone = true;
    if (this.running.delete(job)) this.busyMs += nowMs - job.startedMs;
  }

  /** All that it has; it is empty then. */
  crash(nowMs: number): Job[] {
    const lost = [...this.running, ...this.waiting].filter(({ isGone }) => !isGone);
    for (const job of lost) this.leave(job, nowMs);
    this.waiting.length = 0;
    return lost;
  }

  /** Until something that comes now would start, if all goes as expected. */
  waitMs(nowMs: number): number {
    if (this.running.size < this.engine.lanes) return 0;
    let ahead = 0;
    for (const job of this.waiting) if (!job.isGone) ahead += job.serviceMs;
    for (const { startedMs, serviceMs } of this.running)
      ahead += Math.max(0, serviceMs - (nowMs - startedMs));
    return ahead / this.engine.lanes;
  }

  load(nowMs: number): RemoteLoad {
    if (this.report === null || nowMs - this.report.atMs >= this.reportEveryMs) {
      this.report = { waitMs: this.waitMs(nowMs), lanes: this.engine.lanes, atMs: nowMs };
    }
    return this.report;
  }
}
