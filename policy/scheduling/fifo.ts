import { BinaryHeap } from './binary-heap';
import type { CostModel } from './cost-model';
import { type DeviceLoad } from './device-load';
import { HeldShards } from './held-shards';
import type { Phase } from './phases';
import type { Decision, Scheduler, SchedulerFigures, SchedulingDevice, WaitingShard } from './scheduler';
import type { SchedulerSettings } from './settings';
import type { HeldShard } from './waiting-shards';

/** Needs nothing of the cost model. */
const noShare = new Float64Array(0);
const noTimes = new Float64Array(0);

/**
 * Everything as it comes: the oldest shard is started as soon as there is memory for it, on the device with the
 * fewest; phases take no turns. What is past its deadline is late.
 */
export class Fifo implements Scheduler {
  readonly takesTurns: boolean = false;
  private readonly held: HeldShards;
  private readonly queue = new BinaryHeap<HeldShard>((a, b) => a.sequence < b.sequence);

  constructor(settings: SchedulerSettings, costs: CostModel) {
    this.held = new HeldShards(settings, costs);
  }

  deviceUp(device: SchedulingDevice): void {
    this.held.addDevice(device);
  }

  deviceLost(deviceId: string): readonly WaitingShard[] {
    const lost = this.held.removeDevice(deviceId);
    for (const held of lost) this.wait(held);
    return lost.map(({ shard }) => shard);
  }

  arrive(shard: WaitingShard, nowMs: number): void {
    this.wait(this.held.add(shard, nowMs, () => noShare));
  }

  decide(nowMs: number): Decision {
    const oldest = this.oldest();
    if (oldest === undefined) return { kind: 'wait', untilMs: Infinity };
    const { shard } = oldest;
    if (shard.deadlineMs <= nowMs) return this.held.giveBack(oldest, 'late');
    if (!this.held.fitsEver(shard)) return this.held.giveBack(oldest, 'unfit');
    const device = this.held.pool.hasRoom(shard.poolBytes) ? this.leastBusy(shard) : null;
    if (device === null) return { kind: 'wait', untilMs: shard.deadlineMs };
    return this.held.start(oldest, device, noTimes);
  }

  phaseStarted(shardId: string, phase: Phase, nowMs: number): void {
    this.held.phaseStarted(shardId, phase, nowMs);
  }

  phaseEnded(shardId: string, phase: Phase, tookMs: number): void {
    this.held.phaseEnded(shardId, phase, tookMs);
  }

  leave(shardId: string): void {
    this.held.leave(shardId);
  }

  figures(): SchedulerFigures {
    return this.held.figures();
  }

  private wait(held: HeldShard): void {
    held.isWaiting = true;
    this.queue.push(held);
  }

  private oldest(): HeldShard | undefined {
    while (this.queue.first()?.isWaiting === false) this.queue.pop();
    return this.queue.first();
  }

  private leastBusy(shard: WaitingShard): DeviceLoad | null {
    let best: DeviceLoad | null = null;
    for (const device of this.held.devices.values()) {
      if (!device.arena.hasRoom(shard.arenaBytes)) continue;
      if (best === null || device.started.size < best.started.size) best = device;
    }
    return best;
  }
}
