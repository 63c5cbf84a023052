import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isModelName, isModelVersion, liesInside } from './model-names';

test.each(['candidate_cost', 'a', 'a..b', 'Model-2.1', '7', 'x'.repeat(100)])('%j names a model', (text) => {
  expect(isModelName(text)).toBe(true);
});

test.each([
  '',
  '.',
  '..',
  '../candidate_cost',
  'a/b',
  '/etc',
  'a\\b',
  'a\0',
  'a\n',
  ' a',
  '-a',
  '_a',
  'ａ', // a full-width letter
  'a\u2215b', // a slash that is none
  '\u2024\u2024', // dots that are none
  'a\u202e',
  'e\u0301',
  '%2e%2e',
  'x'.repeat(101),
  null,
  1,
  ['a'],
])('%j names none', (text) => {
  expect(isModelName(text)).toBe(false);
});

test.each(['1', '42', '9'.repeat(15)])('%j is a version', (text) => {
  expect(isModelVersion(text)).toBe(true);
});

test.each([
  '',
  '0',
  '01',
  '-1',
  '1.0',
  '1/../2',
  '../1',
  '1\0',
  '1\n',
  '1e3',
  '0x1',
  '１', // a full-width digit
  '٣', // an Arabic digit
  '9'.repeat(16),
  1,
  ['1'],
])('%j is none', (text) => {
  expect(isModelVersion(text)).toBe(false);
});

test('a link counts as what it leads to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-names-'));
  mkdirSync(join(folder, 'inside', 'deep'), { recursive: true });
  mkdirSync(join(folder, 'inside-too'));
  symlinkSync('deep', join(folder, 'inside', 'near'));
  symlinkSync('../inside-too', join(folder, 'inside', 'away'));
  symlinkSync('loop', join(folder, 'inside', 'loop'));
  const inside = join(folder, 'inside');
  expect(liesInside(inside, join(inside, 'near'))).toBe(true);
  // Its name begins with the folder's, but it is another folder.
  expect(liesInside(inside, join(inside, 'away'))).toBe(false);
  expect(liesInside(inside, join(inside, 'loop'))).toBe(false);
  expect(liesInside(inside, join(inside, 'absent'))).toBe(false);
  expect(liesInside(inside, inside)).toBe(false);
  rmSync(folder, { recursive: true });
});
