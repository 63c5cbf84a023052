import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SchemaParser, type AvroType } from '#schemas/codec/avro-schema';
import { ByteReader } from '#schemas/codec/byte-reader';
import { SchemasIncompatible, compileReader } from '#schemas/codec/compile-reader';
import { SchemaStore } from '#schemas/codec/schema-store';
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
  expect(() => codec.decode(wide)).toThrow("can't be read here: long can't be read as int");
  expect(codec.decode(golden(2))).toMatchObject({ weight: 9 });
});

describe('resolution rules', () => {
  const parse = (schema: unknown): AvroType => new SchemaParser().parse(schema);
  const read = (writer: unknown, reader: unknown, hex: string) =>
    compileReader(parse(writer), parse(reader))(new ByteReader(Buffer.from(hex, 'hex')));

  test('promotions: int → long → double, float → double, string ↔ bytes', () => {
    expect(read('int', 'long', '0e')).toBe(7);
    expect(read('int', { type: 'long', 'x-js': 'bigint' }, '0e')).toBe(7n);
    expect(read('long', 'double', '0e')).toBe(7);
    expect(read('float', 'double', '0000c03f')).toBe(1.5);
    expect(read('bytes', 'string', '0261')).toBe('a');
    expect(read('string', 'bytes', '0261')).toEqual(Buffer.from('a'));
  });

  test('a value becomes a branch of a union and the reverse', () => {
    expect(read('int', ['null', 'long'], '0e')).toBe(7);
    expect(read(['null', 'int'], 'int', '020e')).toBe(7);
    expect(() => read(['null', 'int'], 'int', '00')).toThrow('union branch 0 has no meaning here');
  });

  test('what cannot be resolved is refused when the store is loaded, not at a message', () => {
    expect(() => read('string', 'int', '')).toThrow(SchemasIncompatible);
    const record = (fields: unknown[]) => ({ type: 'record', name: 'R', fields });
    expect(() => read(record([]), record([{ name: 'a', type: 'int' }]), '')).toThrow('R.a has no default');
    expect(() => read('double', 'long', '')).toThrow(SchemasIncompatible);
  });
});
