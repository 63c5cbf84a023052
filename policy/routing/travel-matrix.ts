import { createHash } from 'node:crypto';
import { RoundhouseError } from '#schemas/errors';

/** Zone-to-zone seconds, row-major `from · zones + to`; docs/travel.md has the file format. */
export interface TravelMatrix {
  readonly contentHash: string;
  readonly zones: number;
  readonly seconds: Int32Array;
}

const magic = 'RHTM';
const version = 1;
const headerBytes = 12;

/** Reads a matrix file: "RHTM", version u32, zones u32, then zones² i32 seconds, little-endian. */
export function decodeTravelMatrix(file: Uint8Array): TravelMatrix {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const invalid = (reason: string) => new RoundhouseError('PAYLOAD_INVALID', `travel matrix: ${reason}`);
  if (bytes.length < headerBytes || bytes.toString('latin1', 0, 4) !== magic) throw invalid('no RHTM header');
  if (bytes.readUInt32LE(4) !== version)
    throw invalid(`version ${bytes.readUInt32LE(4)}, we read ${version}`);
  const zones = bytes.readUInt32LE(8);
  const expected = headerBytes + 4 * zones * zones;
  if (zones === 0 || bytes.length !== expected) throw invalid(`${bytes.length} bytes, not ${expected}`);
  const seconds = Int32Array.from({ length: zones * zones }, (_, i) =>
    bytes.readInt32LE(headerBytes + 4 * i),
  );
  if (seconds.some((value) => value < 0)) throw invalid('a negative time');
  return { contentHash: createHash('sha256').update(bytes).digest('hex'), zones, seconds };
}

export function encodeTravelMatrix(zones: number, seconds: readonly number[]): Buffer {
  const bytes = Buffer.alloc(headerBytes + 4 * zones * zones);
  bytes.write(magic, 0, 'latin1');
  bytes.writeUInt32LE(version, 4);
  bytes.writeUInt32LE(zones, 8);
  seconds.forEach((value, i) => bytes.writeInt32LE(value, headerBytes + 4 * i));
  return bytes;
}
