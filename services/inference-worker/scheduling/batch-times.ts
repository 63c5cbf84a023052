import type { CostModel } from '#policy/scheduling/cost-model';
import { demandOf } from '#policy/scheduling/device-load';
import { phases } from '#policy/scheduling/phases';
import type { SchedulingDevice } from '#policy/scheduling/scheduler';
import { leastMs, type PhaseTime } from './answer-times';

/** A request that was answered, and what its phases took. */
export interface Answered {
  readonly device: SchedulingDevice;
  readonly model: string;
  readonly size: number;
  readonly times: readonly PhaseTime[];
  /** On a processor a request passes its phases on one thread, one after the other: they count as one. */
  readonly isOnOneThread: boolean;
}

interface Waiting extends Answered {
  readonly atMs: number;
}

/** The answers of a batch come within this time of each other. */
const batchMs = 25;

/**
 * What the cost model learns. Requests of a batch that passed a phase together each tell the time of all of them: each
 * counts for its part of it, by size, which is known when the others are there, too.
 */
export class BatchTimes {
  private readonly waiting: Waiting[] = [];
  /** Candidates that shared a span of time. */
  private readonly sizes = new Map<string, number>();

  constructor(private readonly costs: CostModel) {}

  add(answered: Answered, nowMs: number): void {
    this.look(nowMs);
    this.waiting.push({ ...answered, atMs: nowMs });
    for (const { span } of answered.times) {
      if (span !== null) this.sizes.set(span, (this.sizes.get(span) ?? 0) + answered.size);
    }
  }

  /** Learns from batches that are over. */
  look(nowMs: number): void {
    const beforeMs = nowMs - batchMs;
    let done = 0;
    while (done < this.waiting.length && this.waiting[done]!.atMs < beforeMs)
      this.learn(this.waiting[done++]!);
    this.waiting.splice(0, done);
    if (this.waiting.length === 0) this.sizes.clear();
  }

  private learn({ device, model, size, times, isOnOneThread }: Answered): void {
    const cost = this.costs.classOf(model, size);
    const own = times.map(({ phase, ms, span }) => {
      const together = Math.max(size, (span !== null && this.sizes.get(span)) || size);
      const at = phases.indexOf(phase);
      return { at, ms: ms * shareOf(at, { model, size }, together, device) };
    });
    const whole = own.reduce((sum, { ms }) => sum + ms, 0);
    for (const { at, ms } of own) {
      const tookMs = !isOnOneThread ? ms : at === orPhase ? whole : leastMs;
      this.costs.observe(cost, device.id, at, size, tookMs);
    }
  }
}

const orPhase = phases.indexOf('or');

/** Of a time that requests of so many candidates together took: its part, as if it had run alone. */
function shareOf(
  phase: number,
  shard: { model: string; size: number },
  together: number,
  device: SchedulingDevice,
): number {
  const all = demandOf(phase, { ...shard, size: together }, device);
  return (all * shard.size) / (together * demandOf(phase, shard, device));
}
