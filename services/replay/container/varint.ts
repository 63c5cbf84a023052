/** Avro's long: zig-zag, seven bits a byte, the lowest first. Here only non-negative ones up to 2^52. */
export function encodeLong(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value * 2;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

export interface ReadLong {
  readonly value: number;
  /** Where it ends. */
  readonly end: number;
}

const mostBytes = 8;

/** null where the bytes end before it does, or where it is negative or beyond 2^52. */
export function readLong(bytes: Buffer, start: number): ReadLong | null {
  let zigzag = 0;
  let scale = 1;
  for (let i = 0; i < mostBytes; i++) {
    const byte = bytes[start + i];
    if (byte === undefined) return null;
    zigzag += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (byte >= 0x80) continue;
    const isNegative = zigzag % 2 === 1;
    return isNegative || zigzag > 2 ** 53 ? null : { value: zigzag / 2, end: start + i + 1 };
  }
  return null;
}
