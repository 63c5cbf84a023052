/**
 * The positions 0..n−1 in order of their keys, equal ones by position, sorted only as far as they are asked
 * for: a heap in O(n), then O(log n) for each further one.
 */
export class SortedOnDemand {
  private readonly sorted: number[] = [];
  private heap: Int32Array | undefined;
  private left: number;

  constructor(private readonly keys: Float64Array) {
    this.left = keys.length;
  }

  get length(): number {
    return this.keys.length;
  }

  /** The position that stands at `rank`. */
  at(rank: number): number {
    this.heap ??= this.build();
    while (this.sorted.length <= rank) this.sorted.push(this.take(this.heap));
    return this.sorted[rank]!;
  }

  private build(): Int32Array {
    const heap = new Int32Array(this.left);
    for (let i = 0; i < this.left; i += 1) heap[i] = i;
    for (let node = (this.left >> 1) - 1; node >= 0; node -= 1) this.sink(heap, node);
    return heap;
  }

  private take(heap: Int32Array): number {
    const first = heap[0]!;
    this.left -= 1;
    heap[0] = heap[this.left]!;
    this.sink(heap, 0);
    return first;
  }

  private before(a: number, b: number): boolean {
    const difference = this.keys[a]! - this.keys[b]!;
    return difference < 0 || (difference === 0 && a < b);
  }

  private sink(heap: Int32Array, start: number): void {
    const { left } = this;
    const moving = heap[start]!;
    let node = start;
    for (let child = 2 * node + 1; child < left; child = 2 * node + 1) {
      if (child + 1 < left && this.before(heap[child + 1]!, heap[child]!)) child += 1;
      if (!this.before(heap[child]!, moving)) break;
      heap[node] = heap[child]!;
      node = child;
    }
    heap[node] = moving;
  }
}
