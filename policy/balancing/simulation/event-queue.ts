import { BinaryHeap } from '../../scheduling/binary-heap';

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly happen: () => void;
}

/** What is to happen, by time; what is at the same time by the order in which it was asked for. */
export class EventQueue {
  private readonly events = new BinaryHeap<Event>(
    (a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order),
  );
  private order = 0;
  private time = 0;

  get nowMs(): number {
    return this.time;
  }

  /** Infinity: never. */
  at(atMs: number, happen: () => void): void {
    if (atMs < Infinity) this.events.push({ atMs, order: this.order++, happen });
  }

  after(ms: number, happen: () => void): void {
    this.at(this.time + ms, happen);
  }

  runUntil(isOver: () => boolean): void {
    while (!isOver()) {
      const event = this.events.pop();
      if (event === undefined) throw new Error('nothing happens any more');
      this.time = event.atMs;
      event.happen();
    }
  }
}
