import { BinaryHeap } from './binary-heap';

interface Asked {
  readonly id: string;
  readonly demand: number;
  readonly rank: number;
  withdrawn: boolean;
}

/**
 * The turns of one resource: shards in the order of their ranks (the lower first; unique) while any of its capacity is
 * free. The last one in may demand more than that: sharing loses less than what would stand idle. Nobody overtakes.
 * A demand above the capacity counts as all of it.
 */
export class PhaseTokens {
  private readonly inside = new Map<string, number>();
  private readonly asked = new Map<string, Asked>();
  private readonly queue = new BinaryHeap<Asked>((a, b) => a.rank < b.rank);
  private used = 0;

  constructor(private readonly capacity: number) {}

  /** Those whose turn it is now, in order: `id` itself, or nobody. */
  ask(id: string, demand: number, rank: number): readonly string[] {
    const asked = { id, demand: Math.min(demand, this.capacity), rank, withdrawn: false };
    this.asked.set(id, asked);
    this.queue.push(asked);
    return this.grant();
  }

  /** It has ended, or wants no turn any more. Returns those whose turn it is now. */
  giveBack(id: string): readonly string[] {
    const waiting = this.asked.get(id);
    if (waiting !== undefined) {
      waiting.withdrawn = true;
      this.asked.delete(id);
    }
    this.used -= this.inside.get(id) ?? 0;
    this.inside.delete(id);
    if (this.inside.size === 0) this.used = 0;
    return this.grant();
  }

  private grant(): string[] {
    const granted: string[] = [];
    for (let next = this.queue.first(); next !== undefined; next = this.queue.first()) {
      if (!next.withdrawn && this.used >= this.capacity * (1 - 1e-9)) break;
      this.queue.pop();
      if (next.withdrawn) continue;
      this.asked.delete(next.id);
      this.inside.set(next.id, next.demand);
      this.used += next.demand;
      granted.push(next.id);
    }
    return granted;
  }
}
