import { WireReader, WireType } from '#lib/engine-client/wire';
import { RoundhouseError } from '#schemas/errors';

type Append = (reader: WireReader, out: Uint8Array[]) => void;

function scalar(bytes: number, write: (view: DataView, reader: WireReader) => void): Append {
  return (reader, out) => {
    const view = new DataView(new ArrayBuffer(bytes));
    write(view, reader);
    out.push(new Uint8Array(view.buffer));
  };
}

const int = (bits: 8 | 16 | 32) =>
  scalar(bits / 8, (view, reader) => {
    const value = Number(BigInt.asIntN(32, reader.varint()));
    if (bits === 8) view.setInt8(0, value);
    else if (bits === 16) view.setInt16(0, value, true);
    else view.setInt32(0, value, true);
  });
const int64 = scalar(8, (view, reader) => view.setBigUint64(0, reader.varint(), true));
const bool = scalar(1, (view, reader) => view.setUint8(0, reader.varint() === 0n ? 0 : 1));
const fixed =
  (bytes: 4 | 8): Append =>
  (reader, out) =>
    out.push(reader.fixed(bytes));

/** An element of BYTES has its length before it. */
const lengthAndBytes: Append = (reader, out) => {
  const bytes = reader.bytes();
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.byteLength);
  out.push(length, bytes);
};

/** Field of InferTensorContents by datatype, the wire type of an element, and how it becomes raw bytes. */
const kinds: Readonly<Record<string, readonly [field: number, type: number, append: Append]>> = {
  BOOL: [1, WireType.varint, bool],
  INT8: [2, WireType.varint, int(8)],
  INT16: [2, WireType.varint, int(16)],
  INT32: [2, WireType.varint, int(32)],
  INT64: [3, WireType.varint, int64],
  UINT8: [4, WireType.varint, int(8)],
  UINT16: [4, WireType.varint, int(16)],
  UINT32: [4, WireType.varint, int(32)],
  UINT64: [5, WireType.varint, int64],
  FP32: [6, WireType.fixed32, fixed(4)],
  FP64: [7, WireType.fixed64, fixed(8)],
  BYTES: [8, WireType.bytes, lengthAndBytes],
};

/** InferTensorContents as the raw bytes of a tensor. `where` names the input in errors. */
export function rawContents(contents: Buffer, datatype: string, where: string): Uint8Array {
  const kind = kinds[datatype];
  if (kind === undefined) {
    throw new RoundhouseError(
      'PAYLOAD_INVALID',
      `${where}.contents: ${datatype} has no typed contents, send it raw`,
    );
  }
  const [wanted, elementType, append] = kind;
  const out: Uint8Array[] = [];
  const reader = new WireReader(contents);
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field !== wanted) {
      throw new RoundhouseError(
        'PAYLOAD_INVALID',
        `${where}.contents: field ${field} is not that of ${datatype}`,
      );
    }
    if (type === elementType) append(reader, out);
    else if (type === WireType.bytes) readPacked(reader.bytes(), append, out);
    else reader.skip(type);
  }
  return Buffer.concat(out);
}

function readPacked(bytes: Buffer, append: Append, out: Uint8Array[]): void {
  const packed = new WireReader(bytes);
  while (!packed.atEnd) append(packed, out);
}
