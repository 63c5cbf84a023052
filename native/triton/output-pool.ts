/**
 * Buffers that outputs are written into, used again and again: fresh ones for every request would pile up
 * until the garbage collector comes. Sizes are powers of two; at most `keepBytes` lie idle.
 */
export class OutputPool {
  private readonly free = new Map<number, Buffer[]>();
  private idle = 0;

  constructor(private readonly keepBytes: number) {}

  get idleBytes(): number {
    return this.idle;
  }

  /** At least `bytes` long. */
  take(bytes: number): Buffer {
    const size = Math.max(4096, 2 ** Math.ceil(Math.log2(Math.max(1, bytes))));
    const buffer = this.free.get(size)?.pop();
    if (buffer === undefined) return Buffer.allocUnsafeSlow(size);
    this.idle -= size;
    return buffer;
  }

  /** The giver must hold no view of it any longer. */
  give(buffer: Buffer): void {
    const size = buffer.byteLength;
    if (this.idle + size > this.keepBytes) return;
    this.idle += size;
    const shelf = this.free.get(size);
    if (shelf === undefined) this.free.set(size, [buffer]);
    else shelf.push(buffer);
  }
}
