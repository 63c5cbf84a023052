/**
 * Protocol Buffers on the wire, as little as the inference messages need. Written by hand because the hot
 * path carries tensors: bytes come out as views of the message and go in with one copy.
 */
export const WireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

export class WireError extends Error {}

export class WireReader {
  private position = 0;

  constructor(private readonly buffer: Buffer) {}

  get atEnd(): boolean {
    return this.position >= this.buffer.length;
  }

  /** Field number and wire type. */
  tag(): { field: number; type: number } {
    const key = this.unsigned();
    if (key < 8 || key > 0xffffffff) throw new WireError(`no field at byte ${this.position}`);
    return { field: Math.floor(key / 8), type: key % 8 };
  }

  /** A varint as a bigint of 64 bits, unsigned. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError(`a number is too long at byte ${this.position}`);
  }

  /** A varint as a number; values above 2^53 are refused. */
  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value <= Number.MAX_SAFE_INTEGER ? value : this.tooLarge();
      scale *= 128;
    }
    return this.tooLarge();
  }

  /** An int64 as a number: exact, or NaN where a number can't hold it. */
  signed(): number {
    const value = BigInt.asIntN(64, this.varint());
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : NaN;
  }

  /** A view of the message. */
  bytes(): Buffer {
    const length = this.unsigned();
    if (length > this.buffer.length - this.position) throw new WireError('the message is cut short');
    return this.buffer.subarray(this.position, (this.position += length));
  }

  string(): string {
    return this.bytes().toString('utf8');
  }

  fixed(length: 4 | 8): Buffer {
    if (length > this.buffer.length - this.position) throw new WireError('the message is cut short');
    return this.buffer.subarray(this.position, (this.position += length));
  }

  skip(type: number): void {
    if (type === WireType.varint) this.varint();
    else if (type === WireType.fixed64) this.fixed(8);
    else if (type === WireType.bytes) this.bytes();
    else if (type === WireType.fixed32) this.fixed(4);
    else throw new WireError(`wire type ${type} at byte ${this.position}`);
  }

  private byte(): number {
    const byte = this.buffer[this.position];
    if (byte === undefined) throw new WireError('the message is cut short');
    this.position += 1;
    return byte;
  }

  private tooLarge(): never {
    throw new WireError(`a number is too large at byte ${this.position}`);
  }
}

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}

/** Bytes of a field that has `length` bytes of content. Field numbers here are below 16. */
export function fieldBytes(length: number): number {
  return 1 + varintBytes(length) + length;
}

/** Writes into a buffer whose size was added up before. */
export class WireWriter {
  private position = 0;
  readonly buffer: Buffer;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  header(field: number, length: number): void {
    this.buffer[this.position] = field * 8 + WireType.bytes;
    this.position += 1;
    this.varint(length);
  }

  string(field: number, text: string): void {
    if (text === '') return;
    this.header(field, Buffer.byteLength(text));
    this.position += this.buffer.write(text, this.position);
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.header(field, bytes.byteLength);
    this.buffer.set(bytes, this.position);
    this.position += bytes.byteLength;
  }

  double(value: number): void {
    this.position = this.buffer.writeDoubleLE(value, this.position);
  }

  /** 64 bits, in two's complement where it is negative. */
  varint64(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 128n; rest >>= 7n) {
      this.buffer[this.position] = Number(rest & 0x7fn) + 128;
      this.position += 1;
    }
    this.buffer[this.position] = Number(rest);
    this.position += 1;
  }

  get written(): Buffer {
    return this.buffer.subarray(0, this.position);
  }

  varint(value: number): void {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      this.buffer[this.position] = (rest % 128) + 128;
      this.position += 1;
    }
    this.buffer[this.position] = rest;
    this.position += 1;
  }
}

export function stringBytes(text: string): number {
  return text === '' ? 0 : fieldBytes(Buffer.byteLength(text));
}
