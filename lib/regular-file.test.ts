import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLabels } from './model-labels';
import { contentHashOf, readContentHash } from './model-repository';
import { readInPieces, readInPiecesAside, readRegularFile } from './regular-file';

let folder: string;
let pipe: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-files-'));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rmSync(folder, { recursive: true }));

const ignore = { size: () => undefined, piece: () => undefined };

test('a pipe that nobody writes to holds no reader', async () => {
  expect(() => readRegularFile(pipe)).toThrow(/is no regular file/);
  expect(() => readInPieces(pipe, ignore)).toThrow(/is no regular file/);
  await expect(readInPiecesAside(pipe, ignore)).rejects.toThrow(/is no regular file/);
  expect(() => contentHashOf(folder)).toThrow(/is no regular file/);
  await expect(readContentHash(folder)).rejects.toThrow(/is no regular file/);
  expect(() => readLabels(pipe)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
});

test('a device without an end and a folder are refused too', () => {
  expect(() => readRegularFile('/dev/zero')).toThrow(/is no regular file/);
  mkdirSync(join(folder, 'a'));
  expect(() => readRegularFile(join(folder, 'a'))).toThrow(/is no regular file/);
});

test('a text that is larger than any text is refused unread', () => {
  const file = join(folder, 'text');
  writeFileSync(file, 'abc');
  expect(readRegularFile(file, 3).toString()).toBe('abc');
  expect(() => readRegularFile(file, 2)).toThrow(/has 3 bytes, the limit is 2/);
});

test('pieces are the whole file, also one of more than a piece and an empty one', async () => {
  const file = join(folder, 'network');
  for (const size of [0, 1, 1024 * 1024, 2 * 1024 * 1024 + 1]) {
    writeFileSync(file, Buffer.alloc(size, 7));
    const seen = { size: 0, bytes: 0 };
    const reader = {
      size: (bytes: number) => void (seen.size += bytes),
      piece: (bytes: Uint8Array) => void (seen.bytes += bytes.length),
    };
    readInPieces(file, reader);
    await readInPiecesAside(file, reader);
    expect(seen).toEqual({ size: 2 * size, bytes: 2 * size });
  }
});
