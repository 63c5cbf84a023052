import { MemoryBudget } from './memory-budget';
import { cpuResource, lastDevicePhase, phases, resourceOfPhase, resources, type PhaseTimes } from './phases';
import type { SchedulingDevice } from './scheduler';
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

/** The share of a resource that a shard's phase takes. */
export function demandOf(phase: number, size: number, fullSize: number): number {
  return phase === etrPhase || phase === orPhase ? Math.min(1, size / fullSize) : 1;
}
const etrPhase = phases.indexOf('etr');
const orPhase = phases.indexOf('or');

/** What shards on one device have still to do, by resource; the processor's part is the worker's. */
export class DeviceLoad {
  readonly started = new Map<string, StartedShard>();
  readonly arena: MemoryBudget;
  /** Milliseconds of each resource; see `look`. */
  readonly ahead = new Float64Array(resources.length);

  constructor(
    readonly spec: SchedulingDevice,
    private readonly cores: number,
  ) {
    this.arena = new MemoryBudget(spec.arenaBytes);
  }

  start(held: HeldShard, expectedMs: PhaseTimes): StartedShard {
    const started: StartedShard = { held, device: this, expectedMs, next: 0, sinceMs: null };
    this.arena.take(held.shard.arenaBytes);
    this.started.set(held.shard.id, started);
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
    if (started.next <= lastDevicePhase) this.freeArena(started);
  }

  /** Works out `ahead`: what is committed and not done, a running phase less its time so far. */
  look(nowMs: number): void {
    this.ahead.fill(0);
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
    if (resourceOfPhase[phase] === cpuResource) return left / this.cores;
    return left * demandOf(phase, held.shard.size, this.spec.fullSize);
  }

  private freeArena({ held }: StartedShard): void {
    this.arena.giveBack(held.shard.arenaBytes);
  }
}
