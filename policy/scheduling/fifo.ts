import { Backlog } from './backlog';
import { BinaryHeap } from './binary-heap';
import type { CostModel } from './cost-model';
import type { DeviceLoad } from './device-load';
import { HoldingScheduler, type WaitingPlace } from './holding-scheduler';
import type { Decision, WaitingShard } from './scheduler';
import type { SchedulerSettings } from './settings';
import type { HeldShard } from './waiting-shards';

/** By arrival; one whose device was lost has its old place. */
class ArrivalQueue implements WaitingPlace {
  private readonly heap = new BinaryHeap<HeldShard>((a, b) => a.sequence < b.sequence);
  private readonly backlog = new Backlog();

  add(held: HeldShard): void {
    held.isWaiting = true;
    this.backlog.add(held);
    this.heap.push(held);
  }

  remove(held: HeldShard): void {
    held.isWaiting = false;
    this.backlog.remove(held);
  }

  oldest(): HeldShard | undefined {
    while (this.heap.first()?.isWaiting === false) this.heap.pop();
    return this.heap.first();
  }

  drainMs(): number {
    return this.backlog.drainMs();
  }
}

/**
 * Everything as it comes: the oldest shard is started as soon as there is memory for it, on the device with the
 * fewest; phases take no turns. What is past its deadline is late. The cost model decides nothing.
 */
export class Fifo extends HoldingScheduler<ArrivalQueue> {
  readonly takesTurns: boolean = false;

  constructor(settings: SchedulerSettings, costs: CostModel) {
    super(settings, costs, new ArrivalQueue());
  }

  decide(nowMs: number): Decision {
    const oldest = this.waiting.oldest();
    if (oldest === undefined) return { kind: 'wait', untilMs: Infinity };
    const { shard } = oldest;
    if (shard.deadlineMs <= nowMs) return this.giveBack(oldest, 'late');
    if (!this.held.fitsEver(shard)) return this.giveBack(oldest, 'unfit');
    const device = this.held.pool.hasRoom(shard.poolBytes) ? this.leastBusy(shard) : null;
    if (device === null) return { kind: 'wait', untilMs: shard.deadlineMs };
    this.waiting.remove(oldest);
    return this.held.start(oldest, device, nowMs);
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
