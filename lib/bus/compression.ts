import { promisify } from 'node:util';
import { gzip, gunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import { CompressionCodecs, CompressionTypes } from 'kafkajs';

interface Lz4 {
  compress(bytes: Uint8Array): Uint8Array;
  decompress(bytes: Uint8Array): Uint8Array;
  decompressBound(bytes: Uint8Array): number;
}
interface Snappy {
  compress(bytes: Buffer): Buffer;
  uncompress(bytes: Buffer, maxLength: number): Buffer;
}
/* eslint-disable @typescript-eslint/no-require-imports -- neither has type declarations */
const snappy = require('snappyjs') as Snappy;
const lz4 = require('lz4js') as Lz4;
/* eslint-enable @typescript-eslint/no-require-imports */

/** A record batch may not grow beyond this when it is decompressed. */
export const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

interface Encoder {
  readonly buffer: Buffer;
}
interface KafkaCodec {
  compress(encoder: Encoder): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

function tooLarge(codec: string): Error {
  return new Error(`a ${codec} record batch grows beyond ${MAX_DECOMPRESSED_BYTES} bytes`);
}

/** Java clients write Snappy in the framing of xerial's snappy-java: a header, then blocks with a length. */
const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const xerialHeaderBytes = 16;

/** Snappy's densest element is a copy of 64 bytes in 3; whoever claims more has no such data. */
const mostSnappyRatio = 22;

function unpackSnappy(block: Buffer, limit: number): Buffer {
  return snappy.uncompress(block, Math.min(limit, mostSnappyRatio * block.length));
}

export function decompressSnappy(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, 8).equals(xerialMagic)) return unpackSnappy(bytes, MAX_DECOMPRESSED_BYTES);
  const blocks: Buffer[] = [];
  let left = MAX_DECOMPRESSED_BYTES;
  for (let at = xerialHeaderBytes; at < bytes.length;) {
    const size = bytes.readInt32BE(at);
    const block = unpackSnappy(bytes.subarray(at + 4, at + 4 + size), left);
    left -= block.length;
    blocks.push(block);
    at += 4 + size;
  }
  return Buffer.concat(blocks);
}

export function decompressLz4(bytes: Buffer): Buffer {
  if (lz4.decompressBound(bytes) > MAX_DECOMPRESSED_BYTES) throw tooLarge('lz4');
  return Buffer.from(lz4.decompress(bytes));
}

export function decompressZstd(bytes: Buffer): Buffer {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((chunk) => {
    size += chunk.length;
    if (size > MAX_DECOMPRESSED_BYTES) throw tooLarge('zstd');
    chunks.push(chunk);
  });
  stream.push(bytes, true);
  return Buffer.concat(chunks);
}

const codecs: Readonly<Record<number, KafkaCodec>> = {
  [CompressionTypes.GZIP]: {
    compress: async ({ buffer }) => promisify(gzip)(buffer),
    decompress: (bytes) => promisify(gunzip)(bytes, { maxOutputLength: MAX_DECOMPRESSED_BYTES }),
  },
  [CompressionTypes.Snappy]: {
    compress: async ({ buffer }) => Buffer.from(snappy.compress(buffer)),
    decompress: async (bytes) => decompressSnappy(bytes),
  },
  [CompressionTypes.LZ4]: {
    compress: async ({ buffer }) => Buffer.from(lz4.compress(buffer)),
    decompress: async (bytes) => decompressLz4(bytes),
  },
  [CompressionTypes.ZSTD]: {
    compress: () => Promise.reject(new Error('zstd is only read here, not written')),
    decompress: async (bytes) => decompressZstd(bytes),
  },
};

/** kafkajs knows gzip only, and a batch in another codec would crash a consumer for ever. */
export function installCodecs(): void {
  const installed = CompressionCodecs as Record<number, () => KafkaCodec>;
  for (const [type, codec] of Object.entries(codecs)) installed[Number(type)] = () => codec;
}
