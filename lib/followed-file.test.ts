import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FollowedFile } from './followed-file';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-followed-'));
const path = join(folder, 'file');
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());
afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`${text} is no number`);
  return value;
}

function follow(at = path) {
  const told: string[] = [];
  const file = new FollowedFile({
    path: at,
    read,
    onChange: (value) => void told.push(`changed to ${value}`),
    onRefused: (reason) => void told.push(reason.replace(folder, '')),
  });
  return { file, told, look: () => jest.advanceTimersByTime(2_000) };
}

test('a change is taken, one that can’t be used is told once and the old value holds', () => {
  writeFileSync(path, '1');
  const { file, told, look } = follow();
  look();
  writeFileSync(path, '2');
  look();
  expect([file.value, told]).toEqual([2, ['changed to 2']]);
  writeFileSync(path, 'x');
  look();
  look();
  rmSync(path);
  look();
  look();
  expect(file.value).toBe(2);
  expect(told.slice(1)).toEqual(['x is no number', "ENOENT: no such file or directory, open '/file'"]);
  writeFileSync(path, '3');
  look();
  expect(file.value).toBe(3);
  file.close();
});

test('a file that was gone, or wrong, for a while and says again what it said is no change, and nothing is left to tell', () => {
  writeFileSync(path, '1');
  const { file, told, look } = follow();
  for (const spoil of [() => rmSync(path), () => writeFileSync(path, 'x')]) {
    spoil();
    look();
    expect(file.refusal).not.toBeNull();
    writeFileSync(path, '1');
    look();
    expect([file.value, file.refusal]).toEqual([1, null]);
  }
  expect(told).toHaveLength(2); // of what was wrong
  file.close();
});

test('why the file of now can’t be used is told, not why one before could not', () => {
  writeFileSync(path, '1');
  const { file, look } = follow();
  for (const spoil of [() => writeFileSync(path, 'x'), () => rmSync(path), () => writeFileSync(path, 'x')]) {
    spoil();
    look();
  }
  expect(file.refusal).toBe('x is no number');
  file.close();
});

test('a link that moves, as that of a mounted secret, is followed', () => {
  for (const [name, text] of [
    ['a', '1'],
    ['b', '2'],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'file'), text);
  }
  symlinkSync('a', join(folder, 'now'));
  const { file, look } = follow(join(folder, 'now', 'file'));
  symlinkSync('b', join(folder, 'next'));
  renameSync(join(folder, 'next'), join(folder, 'now'));
  look();
  expect(file.value).toBe(2);
  file.close();
});

test('without a first value there is none to follow', () => {
  expect(() => follow(join(folder, 'nowhere'))).toThrow(/ENOENT/);
  writeFileSync(path, 'x');
  expect(() => follow()).toThrow('x is no number');
});
