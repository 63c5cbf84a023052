import { RoundhouseError } from '../errors';

const maxVarintBytes = 10;
const twoTo28 = 2 ** 28;

/**
 * Reads Avro's binary encoding from bytes that nobody vouches for: every length is checked against what is
 * left before anything is allocated, and integers are exact or rejected. Throws PAYLOAD_INVALID.
 */
export class ByteReader {
  private position: number;

  constructor(
    private readonly bytes: Buffer,
    start = 0,
  ) {
    this.position = start;
  }

  get remaining(): number {
    return this.bytes.length - this.position;
  }

  fail(reason: string): never {
    throw new RoundhouseError('PAYLOAD_INVALID', `${reason} at byte ${this.position}`);
  }

  /** Moves on by `count` bytes and returns where they start. */
  take(count: number): number {
    if (count > this.remaining) this.fail(`${count} bytes wanted, ${this.remaining} left`);
    const start = this.position;
    this.position = start + count;
    return start;
  }

  /** Bytes of the varint that starts here; its end is inside the buffer. */
  private varintLength(): number {
    const { bytes, position } = this;
    const limit = Math.min(maxVarintBytes, bytes.length - position);
    for (let i = 0; i < limit; i++) if (bytes[position + i]! < 0x80) return i + 1;
    return this.fail(limit === maxVarintBytes ? 'integer of more than 10 bytes' : 'integer cut off');
  }

  /** Up to four bytes of a varint, 7 bits each. */
  private bits(from: number, count: number): number {
    let value = 0;
    for (let i = count - 1; i >= 0; i--) value = (value << 7) | (this.bytes[from + i]! & 0x7f);
    return value;
  }

  /** A long as a number; rejected outside ±(2^53 − 1). */
  long(): number {
    const length = this.varintLength();
    if (length > 7) return this.safe(this.bigLong());
    const start = this.take(length);
    const low = this.bits(start, Math.min(length, 4));
    if (length <= 4) return (low >>> 1) ^ -(low & 1);
    const zigzag = low + this.bits(start + 4, length - 4) * twoTo28;
    return low & 1 ? -(zigzag - 1) / 2 - 1 : zigzag / 2;
  }

  private safe(value: bigint): number {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) this.fail(`${value} is not exact as a number`);
    return number;
  }

  bigLong(): bigint {
    const length = this.varintLength();
    const start = this.take(length);
    let zigzag = BigInt(this.bits(start, Math.min(length, 4)));
    if (length > 4) zigzag |= BigInt(this.bits(start + 4, Math.min(length, 8) - 4)) << 28n;
    if (length > 8) zigzag |= BigInt(this.bits(start + 8, length - 8)) << 56n;
    if (zigzag >> 64n) this.fail('integer beyond 64 bits');
    return (zigzag >> 1n) ^ -(zigzag & 1n);
  }

  int(): number {
    const value = this.long();
    if (value !== (value | 0)) this.fail(`${value} is no int`);
    return value;
  }

  boolean(): boolean {
    const value = this.bytes[this.take(1)]!;
    if (value > 1) this.fail(`${value} is no boolean`);
    return value === 1;
  }

  float(): number {
    return this.bytes.readFloatLE(this.take(4));
  }

  double(): number {
    return this.bytes.readDoubleLE(this.take(8));
  }

  private length(): number {
    const length = this.long();
    if (length < 0) this.fail(`negative length ${length}`);
    return length;
  }

  /** A view on the input, not a copy. */
  fixed(size: number): Buffer {
    const start = this.take(size);
    return this.bytes.subarray(start, start + size);
  }

  byteString(): Buffer {
    return this.fixed(this.length());
  }

  string(): string {
    const length = this.length();
    const start = this.take(length);
    const text = this.bytes.toString('utf8', start, start + length);
    if (
      text.includes('\ufffd') &&
      !Buffer.from(text, 'utf8').equals(this.bytes.subarray(start, start + length))
    )
      this.fail('text is not UTF-8');
    return text;
  }

  /** Items of the next block of an array, 0 at its end; each takes at least `itemBytes`. */
  blockCount(itemBytes: number): number {
    let count = this.long();
    if (count < 0) {
      count = -count;
      const size = this.length();
      if (size > this.remaining) this.fail(`block of ${size} bytes, ${this.remaining} left`);
    }
    if (count * itemBytes > this.remaining) this.fail(`${count} items cannot be in ${this.remaining} bytes`);
    return count;
  }
}
