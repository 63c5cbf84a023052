import { encodeLong, readLong } from './varint';

/** Avro object container files (Avro 1.11.1, "Object Container Files"): magic, metadata, sync marker, blocks. */
export const MAGIC = Buffer.from('Obj\u0001', 'latin1');
export const SYNC_BYTES = 16;
/** Longer metadata are no file of ours. */
export const MAX_HEADER_BYTES = 1024 * 1024;

export interface ContainerHeader {
  readonly schemaText: string;
  readonly codec: string;
  readonly sync: Buffer;
  /** Where the first block begins. */
  readonly end: number;
}

const bytesOf = (value: Buffer): Buffer => Buffer.concat([encodeLong(value.length), value]);

export function encodeHeader(schemaText: string, sync: Buffer): Buffer {
  const metadata = { 'avro.schema': schemaText, 'avro.codec': 'deflate' };
  const pairs = Object.entries(metadata).flatMap(([key, value]) => [
    bytesOf(Buffer.from(key)),
    bytesOf(Buffer.from(value)),
  ]);
  return Buffer.concat([MAGIC, encodeLong(pairs.length / 2), ...pairs, encodeLong(0), sync]);
}

/** Why the bytes are no header, as an Error. `bytes` is the file's beginning, at most MAX_HEADER_BYTES. */
export function readHeader(bytes: Buffer): ContainerHeader {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Error('no Avro container: it begins otherwise');
  const metadata = new Map<string, Buffer>();
  let at = MAGIC.length;
  const long = (): number => {
    const read = readLong(bytes, at);
    if (read === null) throw new Error(`the header is cut off or damaged at byte ${at}`);
    at = read.end;
    return read.value;
  };
  const chunk = (): Buffer => {
    const length = long();
    if (at + length > bytes.length) throw new Error(`the header is cut off or damaged at byte ${at}`);
    at += length;
    return bytes.subarray(at - length, at);
  };
  for (let count = long(); count > 0; count = long()) {
    for (let i = 0; i < count; i++) metadata.set(chunk().toString(), chunk());
  }
  if (at + SYNC_BYTES > bytes.length) throw new Error(`the header is cut off at byte ${at}`);
  const sync = Buffer.from(bytes.subarray(at, at + SYNC_BYTES));
  const schemaText = metadata.get('avro.schema')?.toString() ?? '';
  const codec = metadata.get('avro.codec')?.toString() ?? 'null';
  return { schemaText, codec, sync, end: at + SYNC_BYTES };
}
