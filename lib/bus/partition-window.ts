/**
 * Which messages of one partition are in work, and how far it may be committed. Pure: offsets go in,
 * the next offset to commit comes out. Offsets are taken in ascending order, gaps allowed.
 */
export class PartitionWindow {
  /** Taken and not yet part of the committed prefix, ascending. */
  private readonly taken: { readonly offset: bigint; done: boolean }[] = [];
  private readonly byOffset = new Map<bigint, { done: boolean; readonly bytes: number }>();
  private bytesInWork = 0;
  private inWork = 0;
  private prefixEnd: bigint | null = null;

  /** `maxBytes` bounds what is in work together; one message of any size always has room alone. */
  constructor(
    readonly size: number,
    private readonly maxBytes = Infinity,
  ) {}

  get inFlight(): number {
    return this.inWork;
  }

  hasRoom(bytes = 0): boolean {
    const fits = this.inWork === 0 || this.bytesInWork + bytes <= this.maxBytes;
    return this.taken.length < this.size && fits;
  }

  take(offset: bigint, bytes = 0): void {
    const entry = { offset, bytes, done: false };
    this.bytesInWork += bytes;
    this.taken.push(entry);
    this.byOffset.set(offset, entry);
    this.inWork++;
  }

  /** Marks a message as resolved; true when the prefix that may be committed grew. */
  resolve(offset: bigint): boolean {
    const entry = this.byOffset.get(offset);
    if (entry === undefined || entry.done) return false;
    entry.done = true;
    this.inWork--;
    this.bytesInWork -= entry.bytes;
    let count = 0;
    while (count < this.taken.length && this.taken[count]!.done) count++;
    if (count === 0) return false;
    const finished = this.taken.splice(0, count);
    for (const { offset: done } of finished) this.byOffset.delete(done);
    this.prefixEnd = finished[count - 1]!.offset + 1n;
    return true;
  }

  /** The offset to commit: everything below it has been resolved. Null before the first one. */
  get committable(): bigint | null {
    return this.prefixEnd;
  }
}
