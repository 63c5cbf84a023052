import { RoundhouseError } from '../errors';
import { ByteReader } from './byte-reader';
import { ByteWriter } from './byte-writer';
import { compileWriter, payloadError, type Write } from './compile-writer';
import type { SchemaStore } from './schema-store';

/** Avro single-object encoding: two marker bytes, the writer schema's fingerprint, the body. */
const MARKER = Buffer.from([0xc3, 0x01]);
const HEADER_BYTES = 10;

const scratch = new ByteWriter();

export interface Codec<T> {
  /** Throws PAYLOAD_INVALID, naming the field, for a value that the schema can't hold. */
  encode(value: T): Buffer;
  /**
   * Throws PAYLOAD_INVALID or SCHEMA_UNKNOWN. Byte fields of the result are views on `bytes`, at any
   * alignment.
   */
  decode(bytes: Uint8Array): T;
  /** Hexadecimal, as it stands in the header. */
  readonly fingerprint: string;
}

/** The body alone, without header. */
export function encodeBody(write: Write, value: unknown): Buffer {
  try {
    scratch.begin();
    write(scratch, value);
    return scratch.finish();
  } catch (error) {
    throw payloadError(error);
  }
}

function readBody<T>(store: SchemaStore, buffer: Buffer): T {
  const fingerprint = buffer.readBigUInt64LE(MARKER.length);
  const read = store.readerFor(fingerprint);
  if (read === null) {
    const hex = buffer.toString('hex', MARKER.length, HEADER_BYTES);
    throw new RoundhouseError('SCHEMA_UNKNOWN', `no schema with fingerprint ${hex} in the store`);
  }
  const reader = new ByteReader(buffer, HEADER_BYTES);
  const value = read(reader) as T;
  if (reader.remaining > 0) reader.fail(`${reader.remaining} bytes too many`);
  return value;
}

export function singleObjectCodec<T>(store: SchemaStore): Codec<T> {
  const { type, fingerprint } = store.current;
  const writeBody = compileWriter(type);
  const writeAll: Write = (to, value) => {
    to.fixed(MARKER);
    to.fixed(fingerprint);
    writeBody(to, value);
  };
  return {
    fingerprint: fingerprint.toString('hex'),
    encode: (value) => encodeBody(writeAll, value),
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
