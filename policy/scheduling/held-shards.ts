import { shareOf } from './backlog';
import type { CostClass, CostModel } from './cost-model';
import { DeviceLoad, type StartedShard } from './device-load';
import { MemoryBudget } from './memory-budget';
import { cpuResource, phases, type Phase } from './phases';
import { planTimes } from './plan-start';
import type { Decision, Expectation, SchedulerFigures, SchedulingDevice, WaitingShard } from './scheduler';
import type { SchedulerSettings } from './settings';
import type { HeldShard } from './waiting-shards';

/** What every policy must keep account of: who is here, what holds which memory, and what the phases took. */
export class HeldShards {
  readonly devices = new Map<string, DeviceLoad>();
  readonly pool: MemoryBudget;
  private readonly held = new Map<string, HeldShard>();
  private readonly started = new Map<string, StartedShard>();
  private readonly arenaPeaks = new Map<string, number>();
  private arrivals = 0;
  private readonly counts = { start: 0, late: 0, unfit: 0 };

  constructor(
    private readonly settings: SchedulerSettings,
    private readonly costs: CostModel,
  ) {
    this.pool = new MemoryBudget(settings.poolBytes);
  }

  addDevice(device: SchedulingDevice): void {
    if (this.devices.has(device.id)) throw new RangeError(`device ${device.id} is there already`);
    this.costs.setSpeed(device.id, device.speed);
    this.devices.set(device.id, new DeviceLoad(device, this.settings.cores));
  }

  /** What it had, in the order of arrival; none of it holds anything any more. */
  removeDevice(deviceId: string): HeldShard[] {
    const device = this.devices.get(deviceId);
    if (device === undefined) return [];
    this.arenaPeaks.set(deviceId, this.arenaPeak(device));
    const lost = [...device.started.values()];
    for (const started of lost) this.release(started);
    this.devices.delete(deviceId);
    return lost.map(({ held }) => held).sort((a, b) => a.sequence - b.sequence);
  }

  add(shard: WaitingShard, arrivedMs: number): HeldShard {
    if (this.held.has(shard.id)) throw new RangeError(`shard ${shard.id} is there already`);
    const cost = this.costs.classOf(shard.model, shard.size);
    const sequence = this.arrivals++;
    const shareMs = this.shareOf(shard, cost);
    const held: HeldShard = { shard, sequence, arrivedMs, cost, shareMs, isWaiting: true };
    this.held.set(shard.id, held);
    return held;
  }

  fitsEver({ poolBytes, arenaBytes }: WaitingShard): boolean {
    if (poolBytes > this.pool.totalBytes) return false;
    if (this.devices.size === 0) return true;
    for (const { arena } of this.devices.values()) if (arenaBytes <= arena.totalBytes) return true;
    return false;
  }

  start(held: HeldShard, device: DeviceLoad, nowMs: number): Decision {
    const { shard, cost } = held;
    const expectedMs = this.costs.rates(cost, device.spec.id).map((rate) => rate * shard.size);
    this.pool.take(shard.poolBytes);
    this.started.set(shard.id, device.start(held, expectedMs, nowMs));
    held.isWaiting = false;
    this.counts.start += 1;
    return { kind: 'start', shard, deviceId: device.spec.id };
  }

  giveBack(held: HeldShard, kind: 'late' | 'unfit'): Decision {
    held.isWaiting = false;
    this.held.delete(held.shard.id);
    this.counts[kind] += 1;
    return { kind, shard: held.shard };
  }

  phaseStarted(shardId: string, phase: Phase, nowMs: number): void {
    const started = this.started.get(shardId);
    if (started !== undefined && phases.indexOf(phase) === started.next) started.sinceMs = nowMs;
  }

  phaseEnded(shardId: string, phase: Phase, tookMs: number): void {
    const started = this.started.get(shardId);
    if (started === undefined) return;
    const { held, device } = started;
    const at = phases.indexOf(phase);
    this.costs.observe(held.cost, device.spec.id, at, held.shard.size, tookMs);
    device.phaseEnded(started, at);
  }

  /** The shard if it was still waiting. */
  leave(shardId: string): HeldShard | undefined {
    const started = this.started.get(shardId);
    if (started !== undefined) this.release(started);
    const held = this.held.get(shardId);
    this.held.delete(shardId);
    if (held === undefined || !held.isWaiting) return undefined;
    held.isWaiting = false;
    return held;
  }

  /** Of `drainMs` for what waits; null while there is no device. */
  expect(model: string, size: number, nowMs: number, drainMs: number): Expectation | null {
    const cost = this.costs.classOf(model, size);
    let finishMs = Infinity;
    const cpuAheadMs = this.look(nowMs);
    for (const device of this.devices.values()) {
      const rates = this.costs.rates(cost, device.spec.id);
      finishMs = Math.min(finishMs, planTimes(size, device, rates, cpuAheadMs).finishMs);
    }
    return finishMs === Infinity ? null : { waitMs: drainMs, finishMs: drainMs + finishMs };
  }

  /** Works out what all devices have ahead; returns what they want of the processors. */
  look(nowMs: number): number {
    let cpuAheadMs = 0;
    for (const device of this.devices.values()) {
      device.look(nowMs);
      cpuAheadMs += device.ahead[cpuResource]!;
    }
    return cpuAheadMs;
  }

  private shareOf(shard: WaitingShard, cost: CostClass): Float64Array {
    return shareOf(shard, cost, this.costs, this.devices, this.settings.cores);
  }

  figures(): SchedulerFigures {
    for (const [id, device] of this.devices) this.arenaPeaks.set(id, this.arenaPeak(device));
    return {
      waiting: this.held.size - this.started.size,
      inFlight: this.started.size,
      started: this.counts.start,
      late: this.counts.late,
      unfit: this.counts.unfit,
      poolBytes: this.pool.usedBytes,
      poolPeakBytes: this.pool.peakBytes,
      arenaPeakBytes: Object.fromEntries(this.arenaPeaks),
    };
  }

  private release(started: StartedShard): void {
    this.pool.giveBack(started.held.shard.poolBytes);
    started.device.leave(started);
    this.started.delete(started.held.shard.id);
  }

  private arenaPeak({ spec, arena }: DeviceLoad): number {
    return Math.max(this.arenaPeaks.get(spec.id) ?? 0, arena.peakBytes);
  }
}
