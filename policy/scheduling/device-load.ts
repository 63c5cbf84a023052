import { MemoryBudget } from './memory-budget';
import { cpuResource, lastDevicePhase, phases, resourceOfPhase, resources, type PhaseTimes } from './phases';
import type { SchedulingDevice, WaitingShard } from './scheduler';
import { Timetable } from './timetable';
import type { HeldShard } from './waiting-shards';

/** A shard on a device, with what its phases were expected to take when it was started. */
export interface StartedShard {
  readonly held: HeldShard;
  readonly device: DeviceLoad;
  readonly expectedMs: PhaseTimes;
  /** Phases before this one have ended. */
  next: number;
  /** When its phase began; null between phases. */
  sinceMs: number | null;
}

/** What decides the share of a resource that a shard's phase takes. */
type Sharing = Pick<SchedulingDevice, 'fullSize' | 'sideBySide'>;

/** The share of a resource that a shard's phase takes. */
export function demandOf(phase: number, { size, model }: Sized, { fullSize, sideBySide }: Sharing): number {
  if (phase !== etrPhase && phase !== orPhase) return 1;
  const others = sideBySide?.get(model);
  return others === undefined ? Math.min(1, size / fullSize) : 1 / others;
}
type Sized = Pick<WaitingShard, 'size' | 'model'>;
const etrPhase = phases.indexOf('etr');
const orPhase = phases.indexOf('or');

/** One under way and one behind it. */
const passesAhead = 2;
/** … and one more for as long as it takes until an answer has brought the next one here. */
const mostPassesAhead = 3;

/** What shards on one device have still to do, by resource; the processor's part is the worker's. */
export class DeviceLoad {
  readonly started = new Map<string, StartedShard>();
  readonly arena: MemoryBudget;
  /** Milliseconds of each resource; see `look`. */
  readonly ahead = new Float64Array(resources.length);
  private readonly timetable: Timetable | null;
  private readonly startedOf = new Map<string, number>();

  constructor(
    readonly spec: SchedulingDevice,
    private readonly cores: number,
  ) {
    this.arena = new MemoryBudget(spec.arenaBytes);
    this.timetable = spec.isUntold === true ? new Timetable() : null;
  }

  start(held: HeldShard, expectedMs: PhaseTimes, nowMs: number): StartedShard {
    const { shard } = held;
    const started: StartedShard = { held, device: this, expectedMs, next: 0, sinceMs: null };
    this.arena.take(shard.arenaBytes);
    this.started.set(shard.id, started);
    this.count(shard.model, 1);
    this.timetable?.start(shard.id, expectedMs, (phase) => this.demandOf(phase, shard), nowMs);
    return started;
  }

  phaseEnded(started: StartedShard, phase: number): void {
    if (phase < started.next) return;
    const before = started.next;
    started.next = phase + 1;
    started.sinceMs = null;
    if (before <= lastDevicePhase && started.next > lastDevicePhase) this.freeArena(started);
  }

  leave(started: StartedShard): void {
    if (!this.started.delete(started.held.shard.id)) return;
    this.count(started.held.shard.model, -1);
    this.timetable?.leave(started.held.shard.id);
    if (started.next <= lastDevicePhase) this.freeArena(started);
  }

  /** It has so few, of the model or in all, that no estimate is worth the risk that it runs dry. */
  isShortOf(model: string): boolean {
    if (this.started.size < (this.spec.leastInFlight ?? 0)) return true;
    return this.passesOf(model) < passesAhead;
  }

  /** What of the model is started now would wait behind full passes. */
  isFullOf(model: string): boolean {
    const passes = this.passesOf(model);
    return passes !== Infinity && passes >= mostPassesAhead;
  }

  /** Whether its engine may have it at all. */
  suits({ notOn, arenaBytes }: WaitingShard): boolean {
    const { engine } = this.spec;
    if (engine !== undefined && notOn?.has(engine) === true) return false;
    return arenaBytes <= this.arena.totalBytes;
  }

  /** Works out `ahead`: what is committed and not done, a running phase less its time so far. */
  look(nowMs: number): void {
    this.ahead.fill(0);
    if (this.timetable !== null) {
      this.timetable.look(nowMs);
      return this.timetable.addAhead(this.ahead);
    }
    for (const started of this.started.values()) {
      for (let phase = started.next; phase < phases.length; phase += 1) {
        this.ahead[resourceOfPhase[phase]!]! += this.leftMs(started, phase, nowMs);
      }
    }
  }

  private leftMs(started: StartedShard, phase: number, nowMs: number): number {
    const { expectedMs, next, sinceMs, held } = started;
    let left = expectedMs[phase]!;
    if (phase === next && sinceMs !== null) left = Math.max(0, left - (nowMs - sinceMs));
    return left * this.demandOf(phase, held.shard);
  }

  private demandOf(phase: number, shard: Sized): number {
    return resourceOfPhase[phase] === cpuResource ? 1 / this.cores : demandOf(phase, shard, this.spec);
  }

  /** Under way, in passes of all its instances; Infinity where it has none. */
  private passesOf(model: string): number {
    const inPasses = this.spec.inPasses?.get(model);
    return inPasses === undefined ? Infinity : (this.startedOf.get(model) ?? 0) / inPasses;
  }

  private count(model: string, change: 1 | -1): void {
    const count = (this.startedOf.get(model) ?? 0) + change;
    if (count === 0) this.startedOf.delete(model);
    else this.startedOf.set(model, count);
  }

  private freeArena({ held }: StartedShard): void {
    this.arena.giveBack(held.shard.arenaBytes);
  }
}
