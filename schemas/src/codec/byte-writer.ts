const firstCapacity = 65_536;
/** A larger scratch buffer is given back after use. */
const keptCapacity = 4 * 1024 * 1024;
const twoTo31 = 2 ** 31;

/** Writes Avro's binary encoding into a scratch buffer that is used again for every message. */
export class ByteWriter {
  private bytes = Buffer.allocUnsafeSlow(firstCapacity);
  private position = 0;

  private ensure(count: number): void {
    const needed = this.position + count;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.position);
    this.bytes = grown;
  }

  begin(): void {
    this.position = 0;
  }

  /** A copy of what was written since `begin`. */
  finish(): Buffer {
    const result = Buffer.from(this.bytes.subarray(0, this.position));
    if (this.bytes.length > keptCapacity) this.bytes = Buffer.allocUnsafeSlow(firstCapacity);
    return result;
  }

  /** A safe integer. */
  long(value: number): void {
    if (value >= -twoTo31 / 2 && value < twoTo31 / 2) return this.varint((value << 1) ^ (value >> 31));
    this.bigLong(BigInt(value));
  }

  /** A non-negative integer below 2^31. */
  private varint(value: number): void {
    this.ensure(5);
    while (value > 0x7f) {
      this.bytes[this.position++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    this.bytes[this.position++] = value;
  }

  bigLong(value: bigint): void {
    this.ensure(10);
    let zigzag = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    while (zigzag > 0x7fn) {
      this.bytes[this.position++] = Number(zigzag & 0x7fn) | 0x80;
      zigzag >>= 7n;
    }
    this.bytes[this.position++] = Number(zigzag);
  }

  boolean(value: boolean): void {
    this.ensure(1);
    this.bytes[this.position++] = value ? 1 : 0;
  }

  float(value: number): void {
    this.ensure(4);
    this.position = this.bytes.writeFloatLE(value, this.position);
  }

  double(value: number): void {
    this.ensure(8);
    this.position = this.bytes.writeDoubleLE(value, this.position);
  }

  fixed(value: Uint8Array): void {
    this.ensure(value.byteLength);
    this.bytes.set(value, this.position);
    this.position += value.byteLength;
  }

  byteString(value: Uint8Array): void {
    this.long(value.byteLength);
    this.fixed(value);
  }

  string(value: string): void {
    const length = Buffer.byteLength(value, 'utf8');
    this.long(length);
    this.ensure(length);
    this.position += this.bytes.write(value, this.position, length, 'utf8');
  }
}
