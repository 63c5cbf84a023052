import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SharedMemoryRegions } from './regions';

const key = `roundhouse-test-${randomBytes(16).toString('hex')}`;
const file = join('/dev/shm', key);
let regions: SharedMemoryRegions;

beforeEach(() => {
  writeFileSync(file, Buffer.alloc(1_000, 7), { mode: 0o600 });
  regions = new SharedMemoryRegions();
});
afterEach(() => {
  regions.close();
  rmSync(file, { force: true });
});

const register =
  (part: object = {}) =>
  () =>
    regions.register({ name: 'a', key, offset: 0, byteSize: 1_000, ...part });

test('what was registered is read and written at its offset', () => {
  register({ offset: 100, byteSize: 200 })();
  const use = regions.use({ region: 'a', offset: 50, byteSize: 150 });
  const target = Buffer.alloc(150);
  use.read(target);
  expect(target).toEqual(Buffer.alloc(150, 7));
  use.write(Buffer.from('hello'));
  use.read(target);
  expect(target.subarray(0, 5).toString()).toBe('hello');
  expect(() => use.write(Buffer.alloc(151))).toThrow(/151 bytes, its place in the region 150/);
});

test.each([
  ['an offset behind the end', { offset: 1_001, byteSize: 1 }],
  ['a size behind the end', { offset: 1, byteSize: 1_000 }],
  ['a sum that overflows', { offset: 2 ** 64 - 1, byteSize: 2 }],
  ['a sum that overflows the other way', { offset: 2, byteSize: 2 ** 64 - 1 }],
  ['no bytes', { byteSize: 0 }],
  ['no name', { name: '' }],
  ['another folder', { key: `../shm/${key}` }],
  ['a folder', { key: '..' }],
  ['no key', { key: '/' }],
  ['a key with a zero', { key: `${key}\0` }],
  ['nobody', { key: `${key}-nobody` }],
])('%s is not registered, and no name stands in the text', (_name, part) => {
  expect(register(part)).toThrow(expect.objectContaining({ code: 'PAYLOAD_INVALID' }));
  expect(register(part)).not.toThrow(new RegExp(key));
  expect(regions.status('')).toEqual([]);
});

test.each([0o640, 0o604, 0o620, 0o666])(
  'memory of mode %s is not registered: others could use it',
  (mode) => {
    chmodSync(file, mode);
    expect(register()).toThrow('shared memory: the memory is open to other users; its mode must be 0600');
  },
);

test('a link or a folder of that key is not followed', () => {
  const link = `${file}-link`;
  symlinkSync(file, link);
  expect(register({ key: `${key}-link` })).toThrow(/no memory of that key/);
  rmSync(link);
  mkdirSync(`${file}-folder`);
  expect(register({ key: `${key}-folder` })).toThrow(/no memory of that key/);
  rmSync(`${file}-folder`, { recursive: true });
});

test('a use outside of the region is refused', () => {
  register({ offset: 100, byteSize: 200 })();
  for (const [offset, byteSize] of [
    [0, 201],
    [201, 0],
    [2 ** 64, 1],
    [1, 2 ** 64 - 1],
    [-1, 1],
    [NaN, 1],
    [0.5, 1],
  ]) {
    expect(() => regions.use({ region: 'a', offset: offset!, byteSize: byteSize! })).toThrow(/lie within/);
  }
  expect(() => regions.use({ region: 'secret', offset: 0, byteSize: 1 })).toThrow(
    'shared memory: no such region is registered',
  );
});

test('a region in use is not let go; all are at once or none', () => {
  register()();
  register({ name: 'b' })();
  expect(register()).toThrow(/registered already/);
  const use = regions.use({ region: 'a', offset: 0, byteSize: 10 });
  expect(() => regions.unregister('a')).toThrow(expect.objectContaining({ code: 'ENGINE_BUSY' }));
  expect(() => regions.unregister('')).toThrow(/in use/);
  expect(regions.status('').map(({ name }) => name)).toEqual(['a', 'b']);
  use.release();
  use.release();
  regions.unregister('a');
  expect(() => regions.unregister('a')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  expect(() => regions.status('a')).toThrow(/no such region/);
  regions.unregister('');
  expect(regions.status('')).toEqual([]);
});

test('memory that its owner cut short is an error, not the end of us', () => {
  register()();
  const use = regions.use({ region: 'a', offset: 0, byteSize: 1_000 });
  truncateSync(file, 10);
  expect(() => use.read(Buffer.alloc(1_000))).toThrow(/cut short/);
  expect(() => use.write(Buffer.alloc(1_000))).toThrow(/cut short/);
});
