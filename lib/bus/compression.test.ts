import { randomBytes } from 'node:crypto';
import { decompressLz4, decompressSnappy, decompressZstd, MAX_DECOMPRESSED_BYTES } from './compression';

// What compresses well grows a thousandfold and more: each header below claims more than the limit.
test('Snappy: a length above the limit is refused before anything is allocated', () => {
  // 2^30 as a varint: 80 80 80 80 04.
  const raw = Buffer.from('8080808004', 'hex');
  expect(() => decompressSnappy(raw)).toThrow(/1073741824 is too big, expect at most 67108864/);
  const header = Buffer.concat([Buffer.from('82534e4150505900', 'hex'), Buffer.alloc(8)]);
  const block = Buffer.concat([header, Buffer.from('00000005', 'hex'), raw]);
  expect(() => decompressSnappy(block)).toThrow(/is too big/);
});

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
  for (let i = 0; i < 50; i++) expect(() => decompress(randomBytes(100))).toThrow();
});
