import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder, removeMade } from './make-folder';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'folders-'))));
afterEach(() => rmSync(root, { recursive: true }));

const codeOf = (path: string): unknown => {
  try {
    makeFolder(path);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
};

test('makes what is missing, and takes what is there', () => {
  const path = join(root, 'a', 'b', 'c');
  expect([codeOf(path), codeOf(path), existsSync(path)]).toEqual([null, null, true]);
});

// Node's recursive mkdir tries the first of these for ever.
test('says why where it can not', () => {
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
  expect(codeOf('/proc/nope/a')).toBe('ENOENT');
  expect(codeOf(join(root, 'file'))).toBe('ENOTDIR');
  expect(codeOf(join(root, 'file', 'a'))).toBe('ENOTDIR');
  expect(codeOf(join(root, 'dangling'))).toBe('EEXIST');
});

test('takes away what it made, and nothing else', () => {
  const made = makeFolder(join(root, 'a', 'b'));
  expect(made).toEqual([join(root, 'a'), join(root, 'a', 'b')]);
  expect(makeFolder(join(root, 'a', 'b'))).toEqual([]);
  writeFileSync(join(root, 'a', 'file'), '');
  removeMade(made);
  expect([existsSync(join(root, 'a', 'b')), existsSync(join(root, 'a', 'file'))]).toEqual([false, true]);
});
