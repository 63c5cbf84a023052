import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { avroType } from '#schemas/codec/avro-type';
import { SchemaStore, compileReader } from '#schemas/codec/schema-store';
import { singleObjectCodec } from '#schemas/codec/single-object';
import { projectPath } from '#schemas/project-root';

/**
 * parcels-1.avsc and parcels-2.avsc are two versions of a made-up topic. Version 2 adds `note` (default
 * "none"), `zone` (absent by default) and the enum value `van`, drops `legacy`, and swaps `from` and `to`, which have the same type. The .hex files are messages that each
 * version wrote.
 */
const fixtures = projectPath('test', 'fixtures', 'codec');
const schemaOf = (version: number) => readFileSync(join(fixtures, `parcels-${version}.avsc`), 'utf8');
const golden = (version: number) =>
  Buffer.from(readFileSync(join(fixtures, `parcels-${version}.hex`), 'utf8').trim(), 'hex');

const versionOne = { from: 'a', to: 'b', weight: 7, vehicle: 'bike', legacy: ['x'] };
const versionTwo = { to: 'b', from: 'a', weight: 9, vehicle: 'van', note: 'fragile', zone: 3 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-schemas-'));
  mkdirSync(join(folder, 'history', 'parcels'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

function codecOf(current: number, history: readonly number[]) {
  writeFileSync(join(folder, 'parcels.avsc'), schemaOf(current));
  for (const version of history) {
    writeFileSync(join(folder, 'history', 'parcels', `${version}.avsc`), schemaOf(version));
  }
  return singleObjectCodec<unknown>(new SchemaStore(folder, 'parcels'));
}

test('each version writes its golden bytes', () => {
  expect(codecOf(1, []).encode(versionOne).toString('hex')).toBe(golden(1).toString('hex'));
  expect(codecOf(2, []).encode(versionTwo).toString('hex')).toBe(golden(2).toString('hex'));
});

test('a new reader reads an old writer: defaults come in, dropped fields are skipped, nothing is swapped', () => {
  expect(codecOf(2, [1]).decode(golden(1))).toEqual({
    from: 'a',
    to: 'b',
    weight: 7,
    vehicle: 'bike',
    note: 'none',
  });
});

test('an old reader reads a new writer where it can, by names', () => {
  const value = { ...versionTwo, weight: 8, vehicle: 'bike' };
  const written = codecOf(2, []).encode(value);
  // `legacy` has a default in version 1; `note` and `zone` are skipped.
  expect(codecOf(1, [2]).decode(written)).toEqual({
    from: 'a',
    to: 'b',
    weight: 8,
    vehicle: 'bike',
    legacy: [],
  });
});

test('an enum value that the old reader lacks becomes its default', () => {
  const written = codecOf(2, []).encode({ ...versionTwo, weight: 8 });
  expect(codecOf(1, [2]).decode(written)).toMatchObject({ vehicle: 'other' });
});

test("a writer's schema laid into the history later is found without a restart", async () => {
  const codec = codecOf(2, []);
  expect(() => codec.decode(golden(1))).toThrow(/no schema with fingerprint/);
  writeFileSync(join(folder, 'history', 'parcels', 'late.avsc'), schemaOf(1));
  await new Promise((resolve) => setTimeout(resolve, 1_050)); // the folder is looked at once a second
  expect(codec.decode(golden(1))).toMatchObject({ weight: 7 });
});

test("a schema that can't be read here fails its own messages only", () => {
  const codec = codecOf(1, [2]);
  const widened = schemaOf(1).replace('"int"', '"long"');
  writeFileSync(join(folder, 'history', 'parcels', 'wide.avsc'), widened);
  const other = mkdtempSync(join(tmpdir(), 'roundhouse-schemas-'));
  writeFileSync(join(other, 'parcels.avsc'), widened);
  const wide = singleObjectCodec<unknown>(new SchemaStore(other, 'parcels')).encode(versionOne);
  rmSync(other, { recursive: true });
  expect(() => codec.decode(wide)).toThrow(/can't be read here: .*cannot read "long" as "int"/);
  expect(codec.decode(golden(2))).toMatchObject({ weight: 9 });
});

describe('resolution rules', () => {
  const bigint = { type: 'long', 'x-js': 'bigint' };
  const record = (fields: unknown[], more: object = {}) => ({ type: 'record', name: 'R', fields, ...more });
  const reader = (writer: unknown, as: unknown) => compileReader(avroType(writer), avroType(as));
  const read = (writer: unknown, as: unknown, hex: string) => reader(writer, as)(Buffer.from(hex, 'hex'), 0);

  test('promotions: int → long → double, float → double, string ↔ bytes', () => {
    expect(read('int', 'long', '0e')).toBe(7);
    expect(read('int', bigint, '0e')).toBe(7n);
    expect(read('long', bigint, '0e')).toBe(7n);
    expect(read('int', 'double', '0e')).toBe(7);
    expect(read('long', 'double', '0e')).toBe(7);
    expect(read('float', 'double', '0000c03f')).toBe(1.5);
    expect(read('bytes', 'string', '0261')).toBe('a');
    expect(read('string', 'bytes', '0261')).toEqual(Buffer.from('a'));
  });

  test('what a promotion cannot hold is refused at the message', () => {
    expect(read(bigint, 'long', '0e')).toBe(7);
    // Zig-zag 2^53 + 1 is −2^52 − 1.
    expect(() => read(bigint, 'long', '8180808080808010')).toThrow('-4503599627370497 is not exact');
    expect(() => read('bytes', 'string', '02ff')).toThrow('text is not UTF-8');
  });

  test('a value becomes a branch of a union, but a union is never narrowed', () => {
    expect(read('int', ['null', 'long'], '0e')).toBe(7);
    expect(read(['null', 'int'], ['null', 'long'], '020e')).toBe(7);
    expect(read(['null', 'int'], ['null', 'long'], '00')).toBe(null);
    expect(() => reader(['null', 'int'], 'int')).toThrow('cannot read "null" as "int"');
  });

  test('records of a union are found by name in another order, twice', () => {
    const one = record([{ name: 'a', type: 'int' }], { name: 'One', 'x-kind': 'one' });
    const two = record([{ name: 'b', type: 'int' }], { name: 'Two', 'x-kind': 'two' });
    const pair = (first: object, second: object, names: string[]) =>
      record([
        { name: 'x', type: [first, second] },
        { name: 'y', type: names },
      ]);
    const before = pair(one, two, ['One', 'Two']);
    const after = pair(two, one, ['Two', 'One']);
    // x: branch 0 (One), 7; y: branch 1 (Two), 8.
    expect(read(before, after, '000e0210')).toEqual({ x: { kind: 'one', a: 7 }, y: { kind: 'two', b: 8 } });
  });

  test('defaults of every kind come in, in values of the domain', () => {
    const nested = record([{ name: 'n', type: 'int', default: 3 }], { name: 'Nested' });
    const added = [
      { name: 'big', type: bigint, default: 5 },
      { name: 'list', type: { type: 'array', items: 'int' }, default: [1] },
      { name: 'bytes', type: 'bytes', default: '\u00ff' },
      { name: 'nested', type: nested, default: {} },
      { name: 'gone', type: ['null', 'int'], default: null, 'x-absent': true },
      { name: 'none', type: ['null', 'int'], default: null },
    ];
    const value = { big: 5n, list: [1], bytes: Buffer.of(0xff), nested: { n: 3 }, none: null };
    const found = read(record([]), record(added), '') as object;
    expect(found).toEqual(value);
    expect('gone' in found).toBe(false);
  });

  test('what cannot be resolved is refused when the store is loaded, not at a message', () => {
    expect(() => reader('string', 'int')).toThrow('cannot read "string" as "int"');
    expect(() => reader('double', 'long')).toThrow('cannot read "double" as "long"');
    expect(() => reader(record([]), record([{ name: 'a', type: 'int' }]))).toThrow('default-less R.a');
    expect(() => reader(record([]), record([], { name: 'S' }))).toThrow('cannot read');
    const letters = (symbols: string[]) => ({ type: 'enum', name: 'E', symbols });
    expect(() => reader(letters(['a', 'b']), letters(['a']))).toThrow('cannot read');
  });
});
