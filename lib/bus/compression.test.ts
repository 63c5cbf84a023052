import { createHash } from 'node:crypto';
import { decompressLz4, decompressSnappy, decompressZstd, MAX_DECOMPRESSED_BYTES } from './compression';

// What compresses well grows a thousandfold and more: each header below claims more than the limit.
test('Snappy: a length above the limit is refused before anything is allocated', () => {
  // 2^30 as a varint: 80 80 80 80 04.
  const raw = Buffer.from('8080808004', 'hex');
  expect(() => decompressSnappy(raw)).toThrow(/1073741824 is too big/);
  const header = Buffer.concat([Buffer.from('82534e4150505900', 'hex'), Buffer.alloc(8)]);
  const block = Buffer.concat([header, Buffer.from('00000005', 'hex'), raw]);
  expect(() => decompressSnappy(block)).toThrow(/is too big/);
});

test('Snappy: a length that so few bytes can never fill is refused, the densest data pass', () => {
  // 2^20 as a varint, then 10 bytes: 13 bytes hold at most 13 · 22 = 286.
  const claim = Buffer.concat([Buffer.from('808040', 'hex'), Buffer.alloc(10)]);
  expect(() => decompressSnappy(claim)).toThrow(/1048576 is too big, expect at most 286/);
  // 641 bytes: a literal "a" (00 61), then 10 copies of 64 bytes from 1 back (fe 01 00). 641 as a varint: 81 05.
  const copies = Array.from({ length: 10 }, () => Buffer.from('fe0100', 'hex'));
  const dense = Buffer.concat([Buffer.from('81050061', 'hex'), ...copies]);
  expect(decompressSnappy(dense)).toEqual(Buffer.alloc(641, 'a'));
});

/** The same 100 bytes of noise for the same number. */
function noise(seed: number): Buffer {
  const parts = [0, 1, 2, 3].map((part) => createHash('sha256').update(`${seed}/${part}`).digest());
  return Buffer.concat(parts).subarray(0, 100);
}

test('LZ4: blocks that together may hold more than the limit are refused', () => {
  // Frame with blocks of up to 4 MiB (descriptor 60 70), then 17 blocks of one byte: 68 MiB at most.
  const blocks = Array.from({ length: 17 }, () => Buffer.from('0100000000', 'hex'));
  const frame = Buffer.concat([Buffer.from('04224d18607073', 'hex'), ...blocks, Buffer.alloc(4)]);
  expect(() => decompressLz4(frame)).toThrow(`grows beyond ${MAX_DECOMPRESSED_BYTES} bytes`);
});

test('zstd: a frame that grows beyond the limit is cut off', () => {
  // Magic, no size, window 128 KiB, then RLE blocks (type 1) of 128 KiB: 600 of them are 75 MiB.
  const rle = Buffer.from([0x02, 0x00, 0x10, 0x61]); // header = 2^17 << 3 | 1 << 1, one byte
  const last = Buffer.from([0x03, 0x00, 0x10, 0x61]);
  const frame = (count: number) =>
    Buffer.concat([
      Buffer.from('28b52ffd0038', 'hex'),
      ...Array.from({ length: count - 1 }, () => rle),
      last,
    ]);
  expect(decompressZstd(frame(2))).toEqual(Buffer.alloc(2 * 131_072, 'a'));
  expect(() => decompressZstd(frame(600))).toThrow(`grows beyond ${MAX_DECOMPRESSED_BYTES} bytes`);
});

test.each([
  ['snappy', decompressSnappy],
  ['lz4', decompressLz4],
  ['zstd', decompressZstd],
])('%s: noise is an error, not a hang', (_name, decompress) => {
  for (let i = 0; i < 50; i++) expect(() => decompress(noise(i))).toThrow();
});
