import { WireReader, WireType } from '#lib/engine-client/wire';
import { RoundhouseError } from '#schemas/errors';

/** Raw bytes that grow; a few bytes of typed contents may stand for eight times as many. */
class RawBytes {
  static readonly limit = 64 * 1024 * 1024;
  private buffer = Buffer.alloc(1_024);
  private length = 0;

  /** Room for `bytes` more; the offset at which they begin. */
  grow(bytes: number): { readonly buffer: Buffer; readonly at: number } {
    const at = this.length;
    this.length += bytes;
    if (this.length > RawBytes.limit) throw new RangeError(`more than ${RawBytes.limit} bytes`);
    if (this.length > this.buffer.length) {
      const larger = Buffer.alloc(Math.max(this.length, 2 * this.buffer.length));
      this.buffer.copy(larger);
      this.buffer = larger;
    }
    return { buffer: this.buffer, at };
  }

  done(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

type Append = (reader: WireReader, out: RawBytes) => void;

/** An integer of so many bytes; what doesn't fit is cut, as protobuf itself does. */
const integer =
  (bytes: 1 | 2 | 4 | 8): Append =>
  (reader, out) => {
    const value = BigInt.asUintN(bytes * 8, reader.varint());
    const { buffer, at } = out.grow(bytes);
    if (bytes === 8) buffer.writeBigUInt64LE(value, at);
    else buffer.writeUIntLE(Number(value), at, bytes);
  };

const bool: Append = (reader, out) => {
  const value = reader.varint() === 0n ? 0 : 1;
  const { buffer, at } = out.grow(1);
  buffer[at] = value;
};

const fixed =
  (bytes: 4 | 8): Append =>
  (reader, out) => {
    const { buffer, at } = out.grow(bytes);
    reader.fixed(bytes).copy(buffer, at);
  };

/** An element of BYTES has its length before it. */
const lengthAndBytes: Append = (reader, out) => {
  const bytes = reader.bytes();
  const { buffer, at } = out.grow(4 + bytes.length);
  buffer.writeUInt32LE(bytes.length, at);
  bytes.copy(buffer, at + 4);
};

/** Field of InferTensorContents by datatype, the wire type of an element, and how it becomes raw bytes. */
const kinds = new Map<string, readonly [field: number, type: number, append: Append]>([
  ['BOOL', [1, WireType.varint, bool]],
  ['INT8', [2, WireType.varint, integer(1)]],
  ['INT16', [2, WireType.varint, integer(2)]],
  ['INT32', [2, WireType.varint, integer(4)]],
  ['INT64', [3, WireType.varint, integer(8)]],
  ['UINT8', [4, WireType.varint, integer(1)]],
  ['UINT16', [4, WireType.varint, integer(2)]],
  ['UINT32', [4, WireType.varint, integer(4)]],
  ['UINT64', [5, WireType.varint, integer(8)]],
  ['FP32', [6, WireType.fixed32, fixed(4)]],
  ['FP64', [7, WireType.fixed64, fixed(8)]],
  ['BYTES', [8, WireType.bytes, lengthAndBytes]],
]);

function invalid(message: string): RoundhouseError {
  return new RoundhouseError('PAYLOAD_INVALID', message);
}

/** InferTensorContents as the raw bytes of a tensor. `where` names the input in errors. */
export function rawContents(contents: Buffer, datatype: string, where: string): Uint8Array {
  const kind = kinds.get(datatype);
  if (kind === undefined) throw invalid(`${where}.contents: ${datatype} has no typed contents, send it raw`);
  const [wanted, elementType, append] = kind;
  const out = new RawBytes();
  const reader = new WireReader(contents);
  try {
    while (!reader.atEnd) {
      const { field, type } = reader.tag();
      if (field !== wanted) throw invalid(`${where}.contents: field ${field} is not that of ${datatype}`);
      if (type === elementType) append(reader, out);
      else if (type === WireType.bytes) readPacked(reader.bytes(), append, out);
      else reader.skip(type);
    }
  } catch (error) {
    throw error instanceof RangeError ? invalid(`${where}.contents: ${error.message}`) : error;
  }
  return out.done();
}

function readPacked(bytes: Buffer, append: Append, out: RawBytes): void {
  const packed = new WireReader(bytes);
  while (!packed.atEnd) append(packed, out);
}
