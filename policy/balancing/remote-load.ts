import type { RouterSettings } from './settings';

/** What a remote says of itself, as it was at a time of our clock. */
export interface RemoteLoad {
  /** Until something that comes then would start. */
  readonly waitMs: number;
  /** Devices that work side by side. */
  readonly lanes: number;
  readonly atMs: number;
}

interface OwnWork {
  readonly sentMs: number;
  readonly serviceMs: number;
}

const meanGain = 0.2;

/**
 * How long something that we send now would wait there: what the last report said, faded towards the mean of all
 * reports, and our own work that the report can't know of. Without reports: our own work alone.
 */
export class LoadView<Work extends OwnWork> {
  private report: RemoteLoad | null = null;
  private meanWaitMs = 0;
  private readonly own = new Set<Work>();
  /** Of our own work, what was sent since the report. */
  private sinceMs = 0;

  constructor(private readonly settings: RouterSettings) {}

  get inFlight(): number {
    return this.own.size;
  }

  /** The one that was sent first. */
  oldest(): Work | undefined {
    return this.own.values().next().value;
  }

  sent(work: Work): void {
    this.own.add(work);
    this.sinceMs += work.serviceMs;
  }

  left(work: Work): void {
    if (!this.own.delete(work)) return;
    if (work.sentMs >= this.since()) this.sinceMs -= work.serviceMs;
    if (this.own.size === 0) this.sinceMs = 0;
  }

  /** Reports may come out of order. */
  reported(load: RemoteLoad): void {
    if (load.atMs < this.since()) return;
    this.meanWaitMs += (this.report === null ? 1 : meanGain) * (load.waitMs - this.meanWaitMs);
    this.report = load;
    this.sinceMs = 0;
    for (const work of this.own) if (work.sentMs >= load.atMs) this.sinceMs += work.serviceMs;
  }

  waitMs(nowMs: number): number {
    const { report } = this;
    if (report === null) return this.sinceMs;
    const faded = Math.exp(-Math.max(0, nowMs - report.atMs) / this.settings.reportFadesMs);
    const reported = this.meanWaitMs + (report.waitMs - this.meanWaitMs) * faded;
    return reported + this.sinceMs / report.lanes;
  }

  private since(): number {
    return this.report?.atMs ?? -Infinity;
  }
}
