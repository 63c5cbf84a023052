/** Binary heap of columns by their distance, the smaller column first among equals. */
export class ColumnHeap {
  private readonly items: Int32Array;
  private readonly position: Int32Array;
  private size = 0;

  /** `key` is read at each move; lower a key, then call `moveUp`. */
  constructor(
    columnCount: number,
    private readonly key: Float64Array,
  ) {
    this.items = new Int32Array(columnCount);
    this.position = new Int32Array(columnCount);
  }

  clear(): void {
    this.size = 0;
  }

  /** The first column, −1 where the heap is empty. */
  top(): number {
    return this.size > 0 ? this.items[0]! : -1;
  }

  push(column: number): void {
    this.place(column, this.size++);
    this.moveUp(column);
  }

  pop(): void {
    const last = this.items[--this.size]!;
    if (this.size > 0) this.moveDown(last, 0);
  }

  moveUp(column: number): void {
    let at = this.position[column]!;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.items[parent]!;
      if (!this.before(column, above)) break;
      this.place(above, at);
      at = parent;
    }
    this.place(column, at);
  }

  private moveDown(column: number, from: number): void {
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.before(this.items[child + 1]!, this.items[child]!)) child++;
      if (!this.before(this.items[child]!, column)) break;
      this.place(this.items[child]!, at);
      at = child;
    }
    this.place(column, at);
  }

  private place(column: number, at: number): void {
    this.items[at] = column;
    this.position[column] = at;
  }

  private before(a: number, b: number): boolean {
    const difference = this.key[a]! - this.key[b]!;
    return difference < 0 || (difference === 0 && a < b);
  }
}
