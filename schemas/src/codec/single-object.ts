import { RoundhouseError } from '../errors';
import type { Type } from 'avsc';
import { unwritable } from './avro-type';
import type { SchemaStore } from './schema-store';

/** Avro single-object encoding: two marker bytes, the writer schema's fingerprint, the body. */
const MARKER = Buffer.from([0xc3, 0x01]);
const HEADER_BYTES = 10;

const firstCapacity = 65_536;
/** A larger scratch buffer is given back after use. */
const keptCapacity = 4 * 1024 * 1024;
/** Used again for every message; nothing here awaits. */
let scratch = Buffer.allocUnsafeSlow(firstCapacity);

export interface Codec<T> {
  /** Throws PAYLOAD_INVALID, naming the field, for a value that the schema can't hold. */
  encode(value: T): Buffer;
  /**
   * Throws PAYLOAD_INVALID or SCHEMA_UNKNOWN. Byte fields of the result are copies, at any alignment.
   */
  decode(bytes: Uint8Array): T;
  /** Hexadecimal, as it stands in the header. */
  readonly fingerprint: string;
}

/** Where the body ends in `scratch`, which grows until it holds it. */
function write(type: Type, value: unknown, start: number): number {
  for (;;) {
    const end = type.encode(value, scratch, start);
    if (end >= 0) return end;
    // avsc says by how many bytes it was too small, negated.
    scratch = Buffer.allocUnsafeSlow(Math.max(scratch.length - end, scratch.length * 2));
  }
}

/** `header` and the body behind it. Throws PAYLOAD_INVALID, naming the field. */
export function encodeWith(header: Buffer, type: Type, value: unknown): Buffer {
  try {
    const end = write(type, value, header.length);
    header.copy(scratch);
    return Buffer.from(scratch.subarray(0, end));
  } catch (error) {
    throw unwritable(type, value, error);
  } finally {
    if (scratch.length > keptCapacity) scratch = Buffer.allocUnsafeSlow(firstCapacity);
  }
}

function readBody<T>(store: SchemaStore, buffer: Buffer): T {
  const read = store.readerFor(buffer.readBigUInt64LE(MARKER.length));
  if (read === null) {
    const hex = buffer.toString('hex', MARKER.length, HEADER_BYTES);
    throw new RoundhouseError('SCHEMA_UNKNOWN', `no schema with fingerprint ${hex} in the store`);
  }
  return read(buffer, HEADER_BYTES) as T;
}

export function singleObjectCodec<T>(store: SchemaStore): Codec<T> {
  const { type, fingerprint } = store.current;
  const header = Buffer.concat([MARKER, fingerprint]);
  return {
    fingerprint: fingerprint.toString('hex'),
    encode: (value) => encodeWith(header, type, value),
    decode(bytes) {
      const buffer = Buffer.isBuffer(bytes)
        ? bytes
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (buffer.length < HEADER_BYTES || buffer[0] !== MARKER[0] || buffer[1] !== MARKER[1]) {
        throw new RoundhouseError('PAYLOAD_INVALID', 'not in Avro single-object encoding (C3 01 …)');
      }
      return readBody<T>(store, buffer);
    },
  };
}
