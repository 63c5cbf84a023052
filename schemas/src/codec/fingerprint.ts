/**
 * CRC-64-AVRO, the 64-bit Rabin fingerprint of the Avro specification ("Schema Fingerprints"), over the
 * UTF-8 bytes of a schema's Parsing Canonical Form.
 */
const EMPTY = 0xc15d213aa4d7a795n;

const table: readonly bigint[] = Array.from({ length: 256 }, (_, i) => {
  let value = BigInt(i);
  for (let bit = 0; bit < 8; bit++) value = (value >> 1n) ^ (EMPTY & -(value & 1n));
  return value;
});

export function rabinFingerprint(bytes: Uint8Array): bigint {
  let value = EMPTY;
  for (const byte of bytes) value = (value >> 8n) ^ table[Number((value ^ BigInt(byte)) & 0xffn)]!;
  return value;
}

/** As it stands in single-object encoding: 8 bytes, little-endian. */
export function fingerprintBytes(canonicalForm: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(rabinFingerprint(Buffer.from(canonicalForm, 'utf8')));
  return bytes;
}
