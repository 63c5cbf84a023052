/** A typed array that grows; `values()` is a copy of what was pushed. */
class Growing<A extends Int32Array | Float32Array> {
  length = 0;
  protected array: A;

  constructor(
    private readonly make: (length: number) => A,
    capacity: number,
  ) {
    this.array = make(capacity);
  }

  push(value: number): void {
    if (this.length === this.array.length) this.reserve(1);
    this.array[this.length++] = value;
  }

  /** `count` values of `from`, which stand there from `at` on. */
  pushAll(from: ArrayLike<number>, at: number, count: number): void {
    if (this.length + count > this.array.length) this.reserve(count);
    for (let i = 0; i < count; i += 1) this.array[this.length + i] = from[at + i]!;
    this.length += count;
  }

  clear(): void {
    this.length = 0;
  }

  values(): A {
    const copy = this.make(this.length);
    copy.set(this.array.subarray(0, this.length));
    return copy;
  }

  private reserve(count: number): void {
    const larger = this.make(Math.max(this.length + count, 2 * this.array.length));
    larger.set(this.array);
    this.array = larger;
  }
}

const firstCapacity = 1_024;

export const growingInt32 = () => new Growing((length) => new Int32Array(length), firstCapacity);
export const growingFloat32 = () => new Growing((length) => new Float32Array(length), firstCapacity);

/** Rows by the round-wide index that they stand for, in order of first use; for one shard after the other. */
export class RowNumbers {
  count = 0;
  private readonly row: Int32Array;
  private readonly shard: Int32Array;
  private current = 1;

  constructor(indices: number) {
    this.row = new Int32Array(indices);
    this.shard = new Int32Array(indices);
  }

  /** The row of an index, or −1 where it has none yet. */
  rowOf(index: number): number {
    return this.shard[index] === this.current ? this.row[index]! : -1;
  }

  add(index: number): number {
    this.shard[index] = this.current;
    this.row[index] = this.count;
    return this.count++;
  }

  clear(): void {
    this.count = 0;
    this.current += 1;
  }
}
