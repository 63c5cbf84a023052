import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeTravelMatrix, encodeTravelMatrix } from '#policy/routing/index';
import { TravelMatrices } from './travel-matrices';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-matrices-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'travel'));

/** 10 × 10 times of 4 bytes, one layer for every vehicle: 400 bytes. */
function addMatrix(seconds: number): string {
  const file = encodeTravelMatrix(10, [Array.from({ length: 100 }, () => seconds)]);
  const { contentHash } = decodeTravelMatrix(file);
  writeFileSync(join(folder, 'travel', `${contentHash}.bin`), file);
  return contentHash;
}
const hashes = [1, 2, 3].map(addMatrix) as [string, string, string];

test('matrices are kept in memory by their bytes, the last used first', () => {
  const matrices = new TravelMatrices(folder, 800);
  const [one, two, three] = hashes;
  const [first, second] = [matrices.find(one), matrices.find(two)];
  expect(matrices.find(one)).toBe(first);
  matrices.find(three); // 1,200 bytes: the second one goes
  expect(matrices.find(one)).toBe(first);
  const again = matrices.find(two);
  expect(again).not.toBe(second);
  expect(again).toEqual(second);
});

test('a matrix above the bound is kept until the next one', () => {
  const matrices = new TravelMatrices(folder, 399);
  const first = matrices.find(hashes[0]);
  expect(matrices.find(hashes[0])).toBe(first);
  matrices.find(hashes[1]);
  expect(matrices.find(hashes[0])).not.toBe(first);
});

test('one that is not there is undefined, a broken one is named', () => {
  const matrices = new TravelMatrices(folder);
  expect(matrices.find('f'.repeat(64))).toBeUndefined();
  writeFileSync(join(folder, 'travel', `${'e'.repeat(64)}.bin`), 'no matrix');
  expect(() => matrices.find('e'.repeat(64))).toThrow(
    expect.objectContaining({ code: 'TRAVEL_MATRIX_UNKNOWN' }),
  );
});
