import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileDecoder } from 'avsc';
import { deflateRawSync } from 'node:zlib';
import { encodeHeader } from './container-header';
import { readContainer, type CorruptBlock } from './container-reader';
import { ContainerWriter } from './container-writer';
import { entryTypeOf } from './entry-type';
import { encodeLong, readLong } from './varint';

interface Parcel {
  readonly id: string;
  readonly grams: number;
}
const parcel = (name: string) => ({
  type: 'record',
  name: 'Parcel',
  fields: [
    { name: 'id', type: 'string' },
    { name, type: 'long', ...(name === 'grams' ? {} : { default: 7 }) },
  ],
});
const type = entryTypeOf(parcel('grams'));
/** Of 200 kB of random text each: two of them close a block of 256 KiB. */
const noise = (seed: number) =>
  Array.from({ length: 200_000 }, (_, i) => String.fromCharCode(97 + ((i * i * 31 + i * seed) % 26))).join(
    '',
  );
const parcels: Parcel[] = Array.from({ length: 8 }, (_, i) => ({ id: `${i}${noise(i)}`, grams: i }));

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'container-'));
  file = join(folder, 'parcels.avro');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(values: readonly Parcel[]): number {
  const writer = ContainerWriter.create<Parcel>(file, type);
  values.forEach((value) => writer.append(value));
  return writer.close();
}
const gramsOf = (options?: Parameters<typeof readContainer>[2]) =>
  [...readContainer<Parcel>(file, type, options)].map(({ grams }) => grams);

/** Where the blocks begin: behind each sync marker but the last. */
function blockStarts(): number[] {
  const bytes = readFileSync(file);
  const sync = bytes.subarray(-16);
  const starts: number[] = [];
  for (let at = bytes.indexOf(sync); at >= 0; at = bytes.indexOf(sync, at + 1)) starts.push(at + 16);
  return starts.slice(0, -1);
}

test('what was written is read, by avsc as well', async () => {
  write(parcels);
  expect([...readContainer<Parcel>(file, type)]).toEqual(parcels);
  expect(blockStarts()).toHaveLength(4);
  const values: { value: Parcel }[] = [];
  for await (const entry of createFileDecoder(file)) values.push(entry as { value: Parcel });
  expect(values.map(({ value }) => value.grams)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('an empty container', () => {
  write([]);
  expect(gramsOf()).toEqual([]);
});

test('a writer goes on behind what counts; the rest is cut off', () => {
  const counts = write(parcels.slice(0, 4));
  const first = ContainerWriter.resume<Parcel>(file, type, counts);
  first.append(parcels[4]!);
  first.close();
  // The block of parcel 4 was written, and no progress says that it counts.
  const second = ContainerWriter.resume<Parcel>(file, type, counts);
  second.append(parcels[5]!);
  expect(second.close()).toBe(statSync(file).size);
  expect(gramsOf()).toEqual([0, 1, 2, 3, 5]);
  expect(gramsOf({ length: counts })).toEqual([0, 1, 2, 3]);
});

test('a writer does not go on in a file of other schemas or one that is shorter', () => {
  const counts = write(parcels);
  expect(() => ContainerWriter.resume(file, entryTypeOf(parcel('kilos')), counts)).toThrow('other schemas');
  truncateSync(file, counts - 1);
  expect(() => ContainerWriter.resume(file, type, counts)).toThrow('shorter than its progress');
  expect(() => ContainerWriter.create(file, type)).toThrow('EEXIST');
});

test('values of a writer with another version of the schema', () => {
  write(parcels.slice(0, 1));
  const [read] = readContainer<{ id: string; kilos: number }>(file, entryTypeOf(parcel('kilos')));
  expect(read).toEqual({ id: parcels[0]!.id, kilos: 7 });
});

describe('a corrupt block', () => {
  beforeEach(() => write(parcels));
  const damage = (offset: number, change: (bytes: Buffer) => void) => {
    const bytes = readFileSync(file);
    change(bytes.subarray(offset));
    writeFileSync(file, bytes);
  };
  const skipped = (): { grams: number[]; blocks: CorruptBlock[] } => {
    const blocks: CorruptBlock[] = [];
    return { grams: gramsOf({ onCorrupt: (block) => blocks.push(block) }), blocks };
  };

  test.each([
    ['its data', 200, /a checksum differs|invalid|incorrect|unexpected|no boolean|cut off|wanted|exact/],
    ['its count', 0, /values, not the/],
    ['its size', 1, /no sync marker|no block begins|a block of/],
  ])('%s: it is named with its offset, and skipped on request', (_, at, reason) => {
    const second = blockStarts()[1]!;
    damage(second + at, (bytes) => (bytes[0]! ^= 0x02));
    expect(() => gramsOf()).toThrow(`corrupt block at byte ${second}`);
    expect(() => gramsOf()).toThrow('--skip-corrupt');
    const { grams, blocks } = skipped();
    expect(grams).toEqual([0, 1, 4, 5, 6, 7]);
    expect(blocks).toMatchObject([{ file, offset: second, bytes: blockStarts()[2]! - second }]);
    expect(blocks[0]!.reason).toMatch(reason);
  });

  test('its sync marker: the block behind it is used', () => {
    const [, second, third] = blockStarts();
    damage(third! - 1, (bytes) => (bytes[0]! ^= 0xff));
    const { grams, blocks } = skipped();
    expect(grams).toEqual([0, 1, 4, 5, 6, 7]);
    expect(blocks).toMatchObject([{ offset: second, reason: 'no sync marker at the end of the block' }]);
  });

  test('zeros over several blocks, and a file that was cut off', () => {
    const [first, , third, fourth] = blockStarts();
    damage(first!, (bytes) => bytes.subarray(0, third! - 16 - first!).fill(0));
    truncateSync(file, fourth! + 100);
    const { grams, blocks } = skipped();
    expect(grams).toEqual([4, 5]);
    expect(blocks.map(({ offset }) => offset)).toEqual([first, fourth]);
    expect(blocks[1]!.bytes).toBe(100);
  });
});

test('every single changed byte is found, or the values are the same', () => {
  write([
    { id: 'one', grams: 1 },
    { id: 'two', grams: 2 },
  ]);
  const good = readFileSync(file);
  const start = good.indexOf(good.subarray(-16)) + 16;
  for (let at = start; at < good.length; at++) {
    const bytes = Buffer.from(good);
    bytes[at]! ^= 0x10;
    writeFileSync(file, bytes);
    const read = gramsOf({ onCorrupt: () => undefined });
    expect([[], [1, 2]]).toContainEqual(read);
  }
});

test('what is no container of ours', () => {
  const refused = (bytes: Buffer, reason: string | RegExp) => {
    writeFileSync(file, bytes);
    expect(() => gramsOf()).toThrow(reason);
  };
  refused(Buffer.alloc(0), 'it begins otherwise');
  refused(Buffer.from('orders,couriers'), 'it begins otherwise');
  const header = encodeHeader(type.schemaText, Buffer.alloc(16));
  refused(header.subarray(0, 40), 'cut off');
  refused(Buffer.from(header.toString('latin1').replace('deflate', 'snappyX'), 'latin1'), 'snappyX');
  refused(encodeHeader('{"type":', Buffer.alloc(16)), /JSON/);
  refused(encodeHeader('"string"', Buffer.alloc(16)), 'parcels.avro');
  const map = { type: 'map', values: 'string' };
  refused(encodeHeader(JSON.stringify(map), Buffer.alloc(16)), 'not for');
  expect(() => [...readContainer(folder, type)]).toThrow('no regular file');
  expect(() => [...readContainer(join(folder, 'none'), type)]).toThrow('ENOENT');
});

test('a block that would grow beyond all bounds', () => {
  write([]);
  const zeros = deflateRawSync(Buffer.alloc(257 * 1024 * 1024), { level: 1 });
  const sync = readFileSync(file).subarray(-16);
  const block = [encodeLong(1), encodeLong(zeros.length), zeros, sync];
  writeFileSync(file, Buffer.concat([readFileSync(file), ...block]));
  expect(() => gramsOf()).toThrow(/corrupt block at byte \d+ .*larger than/i);
});

test('numbers of a container', () => {
  for (const value of [0, 1, 63, 64, 8_191, 8_192, 2 ** 31, 2 ** 45]) {
    const bytes = encodeLong(value);
    expect(readLong(bytes, 0)).toEqual({ value, end: bytes.length });
    expect(readLong(bytes.subarray(0, -1), 0)).toBeNull();
  }
  expect(readLong(Buffer.from([1]), 0)).toBeNull(); // -1
  expect(readLong(Buffer.alloc(9, 0x80), 0)).toBeNull();
});
