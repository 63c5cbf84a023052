import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoundhouseError } from '#schemas/errors';
import { readMdrpFolder } from './read-folder';
import { writeSolution } from './write-solution';
import { mdrpFiles as files } from '../../test/support/mdrp-files';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mdrp-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function faultOf(path = folder): Promise<RoundhouseError> {
  const error: unknown = await readMdrpFolder(path).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RoundhouseError);
  expect((error as RoundhouseError).code).toBe('MDRP_INVALID');
  return error as RoundhouseError;
}

test('reads a folder', async () => {
  expect((await readMdrpFolder(folder)).orders).toHaveLength(1);
});

test('a folder that is not there, or is a file', async () => {
  expect((await faultOf(join(folder, 'nowhere'))).message).toContain('no such folder');
  expect((await faultOf(join(folder, 'orders.txt'))).message).toContain('no such folder');
});

test('missing files are named, all of them', async () => {
  rmSync(join(folder, 'orders.txt'));
  rmSync(join(folder, 'couriers.txt'));
  const { faults } = await faultOf();
  expect(faults.map(({ path, value }) => `${path} ${value}`)).toEqual([
    'orders.txt ENOENT',
    'couriers.txt ENOENT',
  ]);
});

test('a folder in place of a file, bytes that are no text, a file without end', async () => {
  rmSync(join(folder, 'orders.txt'));
  mkdirSync(join(folder, 'orders.txt'));
  writeFileSync(join(folder, 'couriers.txt'), Buffer.from([0x63, 0xff, 0xfe]));
  writeFileSync(join(folder, 'restaurants.txt'), Buffer.alloc(17 * 1024 * 1024, 'r'));
  const { faults } = await faultOf();
  expect(faults.map(({ path }) => path)).toEqual(['orders.txt', 'restaurants.txt', 'couriers.txt']);
  expect(faults[1]!.limit).toContain('16777216 bytes');
});

test('a wrong line is named with file, line and reason', async () => {
  writeFileSync(join(folder, 'orders.txt'), files['orders.txt'].replace('r1', 'r7'));
  expect((await faultOf()).message).toContain(
    'orders.txt:2: restaurant r7; expected a restaurant of restaurants.txt',
  );
});

test('writes the three solution files into a folder that it makes', async () => {
  const out = join(folder, 'a', 'b');
  await writeSolution(out, { assignments: 'A', orders: 'O', couriers: 'C' });
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(join(out, 'solution_info_couriers.txt'), 'utf8')).toBe('C');
});
