import { BinaryHeap } from './binary-heap';
import { cpuResource, resourceOfPhase, resources, type PhaseTimes } from './phases';

/** A phase of a shard, by the table's time. */
interface Piece {
  readonly resource: number;
  readonly begin: number;
  readonly end: number;
  /** The share of the resource that it takes. */
  readonly demand: number;
  state: 'ahead' | 'running' | 'over';
}

interface Entry {
  readonly pieces: readonly Piece[];
  readonly end: number;
  isGone: boolean;
}

/**
 * How far the shards of a device are, where nobody tells: each phase begins when the one before has ended and its
 * resource is free, as expected when the shard was started. The time of this table is the device's own. It runs with
 * the clock but not beyond the expected end of a shard that is still there, and a shard that leaves takes it to that
 * shard's end: so a device that is slower or faster than expected takes its whole table with it, and no error adds up.
 * Asked after every event with many shards under way, it looks only at what begins and ends.
 */
export class Timetable {
  private readonly entries = new Map<string, Entry>();
  private readonly freeAt = new Float64Array(resources.length);
  private toBegin = newHeap<Piece>(({ begin }) => begin);
  private toEnd = newHeap<Piece>(({ end }) => end);
  private byEnd = newHeap<Entry>(({ end }) => end);
  /** For each resource, of what has not begun: its milliseconds; of what runs: its ends, and how much it takes. */
  private readonly aheadMs = new Float64Array(resources.length);
  private readonly runningEnds = new Float64Array(resources.length);
  private readonly running = new Float64Array(resources.length);
  private tableMs = 0;
  private clockMs = 0;

  /** `demandOf`: the share of its resource that a phase takes. */
  start(id: string, expectedMs: PhaseTimes, demandOf: (phase: number) => number, nowMs: number): void {
    this.look(nowMs);
    let at = this.tableMs;
    const pieces = Array.from(expectedMs, (ms, phase) => {
      const resource = resourceOfPhase[phase]!;
      const demand = demandOf(phase);
      const begin = resource === cpuResource ? at : Math.max(at, this.freeAt[resource]!);
      if (resource !== cpuResource) this.freeAt[resource] = begin + ms * demand;
      at = begin + ms;
      return this.add({ resource, begin, end: at, demand, state: 'ahead' });
    });
    const entry = { pieces, end: at, isGone: false };
    this.entries.set(id, entry);
    this.byEnd.push(entry);
    this.passTo(this.tableMs);
  }

  leave(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    entry.isGone = true;
    for (const piece of entry.pieces) this.remove(piece);
    this.passTo(Math.min(Math.max(this.tableMs, entry.end), this.earliestEnd()));
    if (this.entries.size === 0) this.clear();
  }

  /** Before `leftMs` and `addAhead` are asked. */
  look(nowMs: number): void {
    const passed = Math.max(0, nowMs - this.clockMs);
    this.clockMs = nowMs;
    this.passTo(Math.min(this.tableMs + passed, this.earliestEnd()));
    if (this.entries.size === 0) this.clear();
  }

  /** Adds what each resource has still to do. */
  addAhead(to: Float64Array): void {
    for (let resource = 0; resource < to.length; resource += 1) {
      const runningMs = this.runningEnds[resource]! - this.tableMs * this.running[resource]!;
      to[resource]! += Math.max(0, this.aheadMs[resource]!) + Math.max(0, runningMs);
    }
  }

  /** Of a phase of a shard that is here. */
  leftMs(id: string, phase: number): number {
    const { begin, end } = this.entries.get(id)!.pieces[phase]!;
    return Math.max(0, end - Math.max(this.tableMs, begin));
  }

  private add(piece: Piece): Piece {
    this.aheadMs[piece.resource]! += (piece.end - piece.begin) * piece.demand;
    this.toBegin.push(piece);
    return piece;
  }

  private remove(piece: Piece): void {
    if (piece.state === 'ahead') this.aheadMs[piece.resource]! -= (piece.end - piece.begin) * piece.demand;
    if (piece.state === 'running') this.run(piece, -1);
    piece.state = 'over';
  }

  private run({ resource, end, demand }: Piece, sign: 1 | -1): void {
    this.runningEnds[resource]! += sign * end * demand;
    this.running[resource]! += sign * demand;
  }

  private passTo(tableMs: number): void {
    this.tableMs = tableMs;
    const { toBegin, toEnd } = this;
    for (let next = toBegin.first(); next !== undefined && next.begin <= tableMs; next = toBegin.first()) {
      toBegin.pop();
      if (next.state !== 'ahead') continue;
      this.remove(next);
      if (next.end <= tableMs) continue;
      next.state = 'running';
      this.run(next, 1);
      toEnd.push(next);
    }
    for (let next = toEnd.first(); next !== undefined && next.end <= tableMs; next = toEnd.first()) {
      toEnd.pop();
      this.remove(next);
    }
  }

  private earliestEnd(): number {
    const { byEnd } = this;
    while (byEnd.first()?.isGone === true) byEnd.pop();
    return byEnd.first()?.end ?? Infinity;
  }

  /** What stood idle owes nothing, and no sum keeps its rounding. */
  private clear(): void {
    this.freeAt.fill(this.tableMs);
    for (const sums of [this.aheadMs, this.runningEnds, this.running]) sums.fill(0);
    if (this.toEnd.size > 0) this.toEnd = newHeap<Piece>(({ end }) => end);
    if (this.toBegin.size > 0) this.toBegin = newHeap<Piece>(({ begin }) => begin);
    if (this.byEnd.size > 0) this.byEnd = newHeap<Entry>(({ end }) => end);
  }
}

function newHeap<T>(time: (item: T) => number): BinaryHeap<T> {
  return new BinaryHeap((a, b) => time(a) < time(b));
}
