import { Backlog } from './backlog';
import { BinaryHeap } from './binary-heap';
import type { CostModel } from './cost-model';
import type { DeviceLoad } from './device-load';
import { HeldShards } from './held-shards';
import type { Phase } from './phases';
import type {
  Decision,
  Expectation,
  Scheduler,
  SchedulerFigures,
  SchedulingDevice,
  WaitingShard,
} from './scheduler';
import type { SchedulerSettings } from './settings';
import type { HeldShard } from './waiting-shards';

/**
 * Everything as it comes: the oldest shard is started as soon as there is memory for it, on the device with the
 * fewest; phases take no turns. What is past its deadline is late. The cost model decides nothing.
 */
export class Fifo implements Scheduler {
  readonly takesTurns: boolean = false;
  private readonly held: HeldShards;
  private readonly queue = new BinaryHeap<HeldShard>((a, b) => a.sequence < b.sequence);
  private readonly backlog = new Backlog();

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
    this.wait(this.held.add(shard, nowMs));
  }

  decide(nowMs: number): Decision {
    const oldest = this.oldest();
    if (oldest === undefined) return { kind: 'wait', untilMs: Infinity };
    const { shard } = oldest;
    if (shard.deadlineMs <= nowMs) return this.giveBack(oldest, 'late');
    if (!this.held.fitsEver(shard)) return this.giveBack(oldest, 'unfit');
    const device = this.held.pool.hasRoom(shard.poolBytes) ? this.leastBusy(shard) : null;
    if (device === null) return { kind: 'wait', untilMs: shard.deadlineMs };
    this.backlog.remove(oldest);
    return this.held.start(oldest, device, nowMs);
  }

  phaseStarted(shardId: string, phase: Phase, nowMs: number): void {
    this.held.phaseStarted(shardId, phase, nowMs);
  }

  phaseEnded(shardId: string, phase: Phase, tookMs: number): void {
    this.held.phaseEnded(shardId, phase, tookMs);
  }

  leave(shardId: string): void {
    const waited = this.held.leave(shardId);
    if (waited !== undefined) this.backlog.remove(waited);
  }

  expect(model: string, size: number, nowMs: number): Expectation | null {
    return this.held.expect(model, size, nowMs, this.backlog.drainMs());
  }

  figures(): SchedulerFigures {
    return this.held.figures();
  }

  private wait(held: HeldShard): void {
    held.isWaiting = true;
    this.backlog.add(held);
    this.queue.push(held);
  }

  private giveBack(held: HeldShard, kind: 'late' | 'unfit'): Decision {
    this.backlog.remove(held);
    return this.held.giveBack(held, kind);
  }

  private oldest(): HeldShard | undefined {
    while (this.queue.first()?.isWaiting === false) this.queue.pop();
    return this.queue.first();
  }

  private leastBusy(shard: WaitingShard): DeviceLoad | null {
    let best: DeviceLoad | null = null;
    for (const device of this.held.devices.values()) {
      if (!device.suits(shard) || !device.arena.hasRoom(shard.arenaBytes)) continue;
      if (best === null || isLessBusy(device, best)) best = device;
    }
    return best;
  }
}

function isLessBusy(a: DeviceLoad, b: DeviceLoad): boolean {
  const [last, other] = [a, b].map(({ spec }) => spec.isLastResort === true);
  return last === other ? a.started.size < b.started.size : !last;
}
