import { cpuResource, phases, resourceOfPhase, resources, type PhaseTimes } from './phases';

/** Begin and end of each phase. */
type Spans = Float64Array;

/**
 * How far the shards of a device are, where nobody tells: each phase begins when the one before has ended and its
 * resource is free, as expected when the shard was started. The time of this table is the device's own. It runs with
 * the clock but not beyond the expected end of a shard that is still there, and a shard that leaves takes it to that
 * shard's end: so a device that is slower or faster than expected takes its whole table with it, and no error adds up.
 */
export class Timetable {
  private readonly spans = new Map<string, Spans>();
  private readonly freeAt = new Float64Array(resources.length);
  private tableMs = 0;
  private clockMs = 0;

  /** `demandOf`: the share of its resource that a phase takes. */
  start(id: string, expectedMs: PhaseTimes, demandOf: (phase: number) => number, nowMs: number): void {
    this.look(nowMs);
    const spans = new Float64Array(2 * phases.length);
    let at = this.tableMs;
    for (let phase = 0; phase < phases.length; phase += 1) {
      const resource = resourceOfPhase[phase]!;
      const ms = expectedMs[phase]!;
      const begin = resource === cpuResource ? at : Math.max(at, this.freeAt[resource]!);
      if (resource !== cpuResource) this.freeAt[resource] = begin + ms * demandOf(phase);
      at = begin + ms;
      spans[2 * phase] = begin;
      spans[2 * phase + 1] = at;
    }
    this.spans.set(id, spans);
  }

  leave(id: string): void {
    const spans = this.spans.get(id);
    if (!this.spans.delete(id)) return;
    this.tableMs = Math.min(Math.max(this.tableMs, endOf(spans!)), this.earliestEnd());
    if (this.spans.size === 0) this.freeAt.fill(this.tableMs);
  }

  /** Before `leftMs` is asked. */
  look(nowMs: number): void {
    const passed = Math.max(0, nowMs - this.clockMs);
    this.clockMs = nowMs;
    this.tableMs = Math.min(this.tableMs + passed, this.earliestEnd());
    if (this.spans.size === 0) this.freeAt.fill(this.tableMs);
  }

  /** Of a phase of a shard that is here. */
  leftMs(id: string, phase: number): number {
    const spans = this.spans.get(id)!;
    const end = spans[2 * phase + 1]!;
    return Math.max(0, end - Math.max(this.tableMs, spans[2 * phase]!));
  }

  private earliestEnd(): number {
    let earliest = Infinity;
    for (const spans of this.spans.values()) earliest = Math.min(earliest, endOf(spans));
    return earliest;
  }
}

function endOf(spans: Spans): number {
  return spans[2 * phases.length - 1]!;
}
