import { Backlog } from './backlog';
import { BinaryHeap } from './binary-heap';
import type { CostClass } from './cost-model';
import type { WaitingShard } from './scheduler';

/** A shard that the scheduler holds; started or waiting. */
export interface HeldShard {
  readonly shard: WaitingShard;
  /** By arrival; kept when its device is lost. */
  readonly sequence: number;
  readonly arrivedMs: number;
  readonly cost: CostClass;
  /** What it adds to the time in which all devices together would work off what waits, for each resource. */
  readonly shareMs: Float64Array;
  isWaiting: boolean;
}

/** The waiting shards of one cost class. */
export interface ClassQueue {
  readonly cost: CostClass;
  readonly byDeadline: BinaryHeap<HeldShard>;
  readonly byArrival: BinaryHeap<HeldShard>;
  /** Given back by prediction since one of them was started. */
  lateInARow: number;
}

function earlierArrival(a: HeldShard, b: HeldShard): boolean {
  return a.sequence < b.sequence;
}

function earlierDeadline(a: HeldShard, b: HeldShard): boolean {
  const difference = a.shard.deadlineMs - b.shard.deadlineMs;
  return difference < 0 || (difference === 0 && a.sequence < b.sequence);
}

/** What waits, by class; the oldest and the most urgent of a class stand for all of it. */
export class WaitingShards {
  private readonly queues: ClassQueue[] = [];
  private readonly byArrival = new BinaryHeap<HeldShard>(earlierArrival);
  private readonly backlog = new Backlog();
  private waiting = 0;
  private newest = -1;
  private turn = 0;

  get size(): number {
    return this.waiting;
  }

  add(held: HeldShard): void {
    held.isWaiting = true;
    this.newest = Math.max(this.newest, held.sequence);
    this.waiting += 1;
    this.byArrival.push(held);
    const { byDeadline, byArrival } = this.queueOf(held.cost);
    byDeadline.push(held);
    byArrival.push(held);
    this.backlog.add(held);
  }

  remove(held: HeldShard): void {
    held.isWaiting = false;
    this.waiting -= 1;
    this.backlog.remove(held);
  }

  queueOf(cost: CostClass): ClassQueue {
    return (this.queues[cost.index] ??= {
      cost,
      byDeadline: new BinaryHeap(earlierDeadline),
      byArrival: new BinaryHeap(earlierArrival),
      lateInARow: 0,
    });
  }

  oldest(): HeldShard | undefined {
    return firstWaiting(this.byArrival);
  }

  /** How many that came after the oldest have gone before it. */
  passesOfOldest(): number {
    const oldest = this.oldest();
    return oldest === undefined ? 0 : this.newest - oldest.sequence - (this.waiting - 1);
  }

  /** The most urgent and the oldest of at most `most` classes; the other classes come first the next time. */
  heads(most: number): HeldShard[] {
    const { queues } = this;
    const found: HeldShard[] = [];
    const from = this.turn;
    let classes = 0;
    for (let step = 0; step < queues.length && classes < most; step += 1) {
      const at = (from + step) % queues.length;
      const queue = queues[at];
      const urgent = queue && firstWaiting(queue.byDeadline);
      if (urgent === undefined) continue;
      const oldest = firstWaiting(queue!.byArrival)!;
      found.push(urgent);
      if (oldest !== urgent) found.push(oldest);
      classes += 1;
      this.turn = classes < most ? from : (at + 1) % queues.length;
    }
    return found;
  }

  /** In which time all devices together would work off what waits, if they had nothing else. */
  drainMs(): number {
    return this.backlog.drainMs();
  }
}

function firstWaiting(heap: BinaryHeap<HeldShard>): HeldShard | undefined {
  let first = heap.first();
  while (first !== undefined && !first.isWaiting) {
    heap.pop();
    first = heap.first();
  }
  return first;
}
