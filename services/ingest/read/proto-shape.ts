import { RoundhouseError } from '#schemas/errors';
import type { ElementLimits } from './json-shape';

export type WireType = 0 | 1 | 2 | 5;

export interface FieldShape {
  readonly wire: WireType;
  /** Null for a field that isn't a message. */
  readonly message: MessageShape | null;
}

/** The fields of a message by their numbers. No number is repeated in one field (packed). */
export type MessageShape = ReadonlyMap<number, FieldShape>;

const BITS_LEFT = [0x7f, 0x7f, 0x7f, 0x7f, 0x0f] as const;
const MOST_VARINT_BYTES = 10;
const broken = (why: string) => new RoundhouseError('PAYLOAD_INVALID', `the message is no Round: ${why}`);

/** One walk over a message's bytes. A field that would end beyond its message is broken. */
class ProtoWalk {
  private at = 0;
  private elements = 1;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly maxElements: number,
  ) {}

  message(shape: MessageShape, end: number): void {
    while (this.at < end) this.field(shape, end);
  }

  private field(shape: MessageShape, end: number): void {
    const tag = this.uint32(end);
    const [number, wire] = [tag >>> 3, tag & 7];
    const known = shape.get(number);
    if (number === 0) throw broken('a field has the number 0');
    if (known !== undefined && known.wire !== wire) throw broken(`field ${number} has the wire type ${wire}`);
    this.elements += 1;
    if (this.elements > this.maxElements) {
      throw new RoundhouseError('ROUND_TOO_LARGE', `a body of more than ${this.maxElements} values`);
    }
    if (wire === 0) this.skipVarint(end);
    else if (wire === 1) this.skip(8, end);
    else if (wire === 5) this.skip(4, end);
    else if (wire === 2) this.delimited(known?.message ?? null, end);
    else throw broken(`field ${number} has the wire type ${wire}`);
  }

  private delimited(shape: MessageShape | null, end: number): void {
    const length = this.uint32(end);
    if (shape === null) return this.skip(length, end);
    const inner = this.at + length;
    if (inner > end) throw broken('it is cut short');
    this.message(shape, inner);
  }

  private skip(length: number, end: number): void {
    this.at += length;
    if (this.at > end) throw broken('it is cut short');
  }

  private skipVarint(end: number): void {
    const last = Math.min(end, this.at + MOST_VARINT_BYTES);
    while (this.at < last) if (this.bytes[this.at++]! < 0x80) return;
    throw broken('a number has no end');
  }

  private uint32(end: number): number {
    let value = 0;
    for (const [place, mask] of BITS_LEFT.entries()) {
      if (this.at >= end) throw broken('it is cut short');
      const byte = this.bytes[this.at++]!;
      if ((byte & 0x7f) > mask) break;
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw broken('a tag or a length has more than 32 bits');
  }
}

/**
 * Counts the fields of a protobuf message without decoding it, since each of millions of empty ones of two bytes becomes
 * an object. Throws ROUND_TOO_LARGE where they are too many, and PAYLOAD_INVALID for what a decoder could read
 * otherwise than it is counted here: other wire types, fields beyond the end of their message, groups.
 */
export function requireProtoShape(
  bytes: Uint8Array,
  shape: MessageShape,
  { maxElements }: ElementLimits,
): void {
  new ProtoWalk(bytes, maxElements).message(shape, bytes.length);
}
