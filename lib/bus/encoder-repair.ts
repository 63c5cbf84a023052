/** kafkajs' Encoder as far as it is replaced here. */
interface Encoder {
  buf: Buffer;
  /** Where the next byte goes in `buf`. */
  offset: number;
  /** Bytes before those in `buf`, by reference. */
  parts?: Buffer[];
  partBytes?: number;
  /** Where the bytes after `parts` begin in `buf`. */
  start?: number;
  ensureAvailable(length: number): void;
  writeInt32(value: number): Encoder;
  writeBytes(value: unknown): Encoder;
  writeBufferInternal(bytes: Buffer): void;
  writeEncoder(value: Encoder): Encoder;
  writeEncoderArray(values: readonly Encoder[]): Encoder;
  size(): number;
  readonly buffer: Buffer;
}

/** Shorter ones are copied. */
const referencedBytes = 1_024;

function appendReference(encoder: Encoder, bytes: Buffer): void {
  const { buf, offset, start = 0 } = encoder;
  encoder.parts ??= [];
  if (offset > start) encoder.parts.push(buf.subarray(start, offset));
  encoder.parts.push(bytes);
  encoder.partBytes = (encoder.partBytes ?? 0) + offset - start + bytes.length;
  encoder.start = offset;
}

function appendEncoder(encoder: Encoder, value: Encoder): void {
  for (const part of value.parts ?? []) encoder.writeBufferInternal(part);
  encoder.writeBufferInternal(value.buf.subarray(value.start ?? 0, value.offset));
}

/** Joins the parts; from then on the encoder holds one buffer again. */
function flattened(encoder: Encoder): Buffer {
  const { buf, offset, parts, start = 0 } = encoder;
  if (parts === undefined) return buf.subarray(0, offset);
  encoder.buf = Buffer.concat([...parts, buf.subarray(start, offset)]);
  encoder.offset = encoder.buf.length;
  encoder.start = 0;
  encoder.partBytes = 0;
  delete encoder.parts;
  return encoder.buf;
}

/**
 * kafkajs builds a request from encoders within encoders, and each copies its content into a zeroed buffer of
 * the next power of two: more than a megabyte for 64 kB of messages, so that Node collected all garbage
 * every two seconds at five rounds a second. Here large pieces are held by reference until the bytes are
 * wanted (the checksum, the batch, the socket).
 */
export function holdLargePieces(prototype: Encoder): void {
  const { writeBytes } = prototype;
  const replacement: Partial<Encoder> & ThisType<Encoder> = {
    writeBufferInternal(bytes) {
      if (bytes.length >= referencedBytes) return appendReference(this, bytes);
      this.ensureAvailable(bytes.length);
      bytes.copy(this.buf, this.offset);
      this.offset += bytes.length;
    },
    writeBytes(value) {
      if (!Buffer.isBuffer(value)) return writeBytes.call(this, value);
      this.writeInt32(value.length).writeBufferInternal(value);
      return this;
    },
    writeEncoder(value) {
      appendEncoder(this, value);
      return this;
    },
    writeEncoderArray(values) {
      for (const value of values) appendEncoder(this, value);
      return this;
    },
    size() {
      return (this.partBytes ?? 0) + this.offset - (this.start ?? 0);
    },
  };
  Object.assign(prototype, replacement);
  Object.defineProperty(prototype, 'buffer', {
    get(this: Encoder) {
      return flattened(this);
    },
  });
}
