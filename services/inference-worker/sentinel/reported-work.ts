import type { CostEstimates } from './cost-estimates';
import type { Silence } from './work-in-flight';

/** ModelWork of schemas/proto/engine.proto: a version of a model, as the engine's own queue sees it. */
export interface ModelWork {
  readonly model: string;
  readonly version: string;
  readonly line: number;
  readonly waiting: number;
  readonly running: number;
  readonly oldest: number;
  readonly worked_off: number;
  readonly answered: number;
  readonly kib: number;
  readonly ms_per_kib: number;
  readonly left_ms: number;
}

interface Row {
  readonly work: ModelWork;
  /** When the model was first seen to have these requests and to have ended so many. */
  readonly sinceMs: number;
  /** The last look at what it uses of processors, once it is over its budget. */
  sample: Sample | null;
}

/** What an engine used of processors before. */
interface Sample {
  readonly atMs: number;
  readonly processorMs: number;
}

/** So much of a processor is work, not what an engine needs for nothing. */
const busyShare = 0.1;
const sampleMs = 400;

/** An answer may take so many times what is expected of it. */
const patience = 4;
/** For a request without a deadline to a model that has never answered; over HTTP it has as much. */
const noDeadlineMs = 300_000;

function nameOf({ model, version }: ModelWork): string {
  return `${model}/${version}`;
}

function isSame(a: ModelWork, b: ModelWork): boolean {
  return a.oldest === b.oldest && a.worked_off === b.worked_off;
}

/**
 * What an engine's own queue says of its models, whoever sent the requests, and whether one is silent: the core
 * has requests of it, and from report to report the oldest is the same and none was ended. The budget is that of
 * WorkInFlight, but what counts is what the core has: a queue in front of it prolongs nothing. A model that is the
 * only one with work, and for which the engine uses processors, works: it has until its latest deadline. Times are
 * milliseconds of our own running time, from the first report of a state, so a stop of either side is no silence
 * by itself.
 */
export class ReportedWork {
  private rows = new Map<number, Row>();
  private reportedAtMs = -Infinity;

  constructor(
    private readonly costs: CostEstimates,
    private readonly floorMs: number,
    /** Milliseconds of processors that the engine's processes have used. */
    private readonly processorMs: () => number,
  ) {}

  /** A report that has just come; the model that is silent by it, null where every one is within its budget. */
  take(models: readonly ModelWork[], nowMs: number): Silence | null {
    const before = this.rows;
    this.reportedAtMs = nowMs;
    this.rows = new Map();
    let active = 0;
    for (const work of models) {
      const last = before.get(work.line);
      this.learn(work, last?.work.answered ?? 0);
      const goesOn = last !== undefined && isSame(last.work, work);
      this.rows.set(work.line, goesOn ? { ...last, work } : { work, sinceMs: nowMs, sample: null });
      if (work.running > 0 || (last !== undefined && !goesOn)) active += 1;
    }
    return this.silence(nowMs, active === 1);
  }

  /** Whether the engine said within `mostAgeMs` that it has something of the model: then it is judged here. */
  holds(model: string, nowMs: number, mostAgeMs: number): boolean {
    if (nowMs - this.reportedAtMs > mostAgeMs) return false;
    return [...this.rows.values()].some(
      ({ work }) => work.model === model && work.waiting + work.running > 0,
    );
  }

  private learn(work: ModelWork, answeredBefore: number): void {
    const answers = work.answered - answeredBefore;
    if (answers > 0) this.costs.follow(nameOf(work), work.ms_per_kib, answers);
  }

  private silence(nowMs: number, isAlone: boolean): Silence | null {
    const busy = [...this.rows.values()].filter(({ work }) => work.running > 0);
    for (const row of busy) {
      const silentMs = nowMs - row.sinceMs;
      const budgetMs = this.budgetMs(row, busy, nowMs);
      if (silentMs <= budgetMs || (isAlone && this.mayWork(row, nowMs))) continue;
      const { work } = row;
      this.costs.raise(nameOf(work), work.kib * 1_024, Math.min(silentMs, timeLeftMs(row, nowMs)));
      return { model: work.model, silentMs, budgetMs, requests: work.running };
    }
    return null;
  }

  /**
   * Whether a model that is over its budget, and the only one with work, may be at it until its latest deadline: what
   * the engine uses of processors is used for it then. It takes two looks to know.
   */
  private mayWork(row: Row, nowMs: number): boolean {
    const { sample: last } = row;
    if (nowMs - row.sinceMs > this.floorMs + timeLeftMs(row, nowMs)) return false;
    if (last !== null && nowMs - last.atMs < sampleMs) return true;
    row.sample = { atMs: nowMs, processorMs: this.processorMs() };
    if (last === null) return true;
    const usedMs = row.sample.processorMs - last.processorMs;
    // One of its processes has ended, and what that had used with it: the next look tells.
    return usedMs < 0 || usedMs >= busyShare * (nowMs - last.atMs);
  }

  /** The other models share the cores. */
  private budgetMs(row: Row, busy: readonly Row[], nowMs: number): number {
    const others = busy.filter((other) => other !== row);
    return this.floorMs + this.allowanceMs([row], nowMs) + this.allowanceMs(others, nowMs);
  }

  private allowanceMs(rows: readonly Row[], nowMs: number): number {
    let known = 0;
    let unknown = 0;
    for (const row of rows) {
      const { work } = row;
      const expected = this.costs.expectedMs(nameOf(work), work.kib * 1_024);
      if (expected === null) unknown = Math.max(unknown, timeLeftMs(row, nowMs));
      else known += patience * expected;
    }
    return known + unknown;
  }
}

/** From the beginning of the silence to the latest deadline. */
function timeLeftMs({ work, sinceMs }: Row, nowMs: number): number {
  return work.left_ms === Infinity ? noDeadlineMs : Math.max(0, nowMs - sinceMs + work.left_ms);
}
