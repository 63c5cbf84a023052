/** Bytes that a turn of the loop takes; one table for each. */
const SLICES = 8;
const ENTRIES = 256;
/** Castagnoli's polynomial, its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

function tablesOf(): Int32Array {
  const tables = new Int32Array(SLICES * ENTRIES);
  for (let byte = 0; byte < ENTRIES; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = ENTRIES; at < tables.length; at += 1) {
    const before = tables[at - ENTRIES]!;
    tables[at] = tables[before & 0xff]! ^ (before >>> 8);
  }
  return tables;
}

const tables = tablesOf();

function byBytes(crc: number, bytes: Uint8Array, from: number, to: number): number {
  let next = crc;
  for (let at = from; at < to; at += 1) next = tables[(next ^ bytes[at]!) & 0xff]! ^ (next >>> 8);
  return next;
}

/** Pairs of words of four bytes, least byte first, as all machines that this runs on have them. */
function byWords(crc: number, words: Int32Array): number {
  let next = crc;
  for (let at = 0; at < words.length; at += 2) {
    const low = next ^ words[at]!;
    const high = words[at + 1]!;
    next =
      tables[0x700 | (low & 0xff)]! ^
      tables[0x600 | ((low >>> 8) & 0xff)]! ^
      tables[0x500 | ((low >>> 16) & 0xff)]! ^
      tables[0x400 | (low >>> 24)]! ^
      tables[0x300 | (high & 0xff)]! ^
      tables[0x200 | ((high >>> 8) & 0xff)]! ^
      tables[0x100 | ((high >>> 16) & 0xff)]! ^
      tables[high >>> 24]!;
  }
  return next;
}

/** CRC-32C (RFC 3720, appendix B.4) of the bytes, from 0 to 2^32 − 1; eight at a time. */
export function crc32c(bytes: Uint8Array): number {
  const aligned = -bytes.byteOffset & 3;
  const pairs = (bytes.length - aligned) >> 3;
  if (pairs <= 0) return ~byBytes(-1, bytes, 0, bytes.length) >>> 0;
  const rest = aligned + 8 * pairs;
  let crc = byBytes(-1, bytes, 0, aligned);
  crc = byWords(crc, new Int32Array(bytes.buffer, bytes.byteOffset + aligned, 2 * pairs));
  return ~byBytes(crc, bytes, rest, bytes.length) >>> 0;
}
