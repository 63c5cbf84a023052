import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceFolder } from '../setup/fresh-folder.mjs';
import { filesUnder, hashFiles, isStamped, writeStamp } from '../setup/stamp.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

test('a folder is stamped with the inputs it was made from, and no others', (t) => {
  const folder = temporaryFolder(t);
  assert.equal(isStamped(folder, 'a'), false);
  writeStamp(folder, 'a');
  assert.equal(isStamped(folder, 'a'), true);
  assert.equal(isStamped(folder, 'b'), false);
  assert.equal(isStamped(join(folder, 'absent'), 'a'), false);
});

test('the hash changes with a content, with a name and with an absence, not with the order', (t) => {
  const root = temporaryFolder(t);
  const [a, b, c] = ['a.ts', 'b.ts', 'c.ts'].map((name) => join(root, name));
  writeFileSync(a, 'one');
  writeFileSync(b, 'two');
  const before = hashFiles(root, [a, b]);
  assert.equal(hashFiles(root, [b, a]), before);
  assert.notEqual(hashFiles(root, [a, b, c]), hashFiles(root, [a, b]));
  writeFileSync(b, 'twice');
  assert.notEqual(hashFiles(root, [a, b]), before);
  writeFileSync(b, 'two');
  renameSync(b, c);
  assert.notEqual(hashFiles(root, [a, c]), before);
});

test('files are found in subfolders, and an absent folder has none', (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'x', 'y'), { recursive: true });
  writeFileSync(join(root, 'x', 'y', 'deep.cpp'), '');
  writeFileSync(join(root, 'x', 'note.md'), '');
  assert.deepEqual(
    filesUnder(root, (name) => name.endsWith('.cpp')),
    [join(root, 'x', 'y', 'deep.cpp')],
  );
  assert.deepEqual(
    filesUnder(join(root, 'absent'), () => true),
    [],
  );
});

test('an interrupted step leaves the old folder, and the next one removes its remains', async (t) => {
  const root = temporaryFolder(t);
  const folder = join(root, 'kafka');
  await replaceFolder(folder, 'v1', async (fresh) => writeFileSync(join(fresh, 'old.jar'), ''));
  const failing = replaceFolder(folder, 'v2', async (fresh) => {
    writeFileSync(join(fresh, 'half.jar'), '');
    throw new Error('interrupted');
  });
  await assert.rejects(failing, /interrupted/);
  assert.equal(isStamped(folder, 'v1'), true);
  assert.equal(existsSync(join(folder, 'old.jar')), true);
  await replaceFolder(folder, 'v2', async (fresh) => writeFileSync(join(fresh, 'new.jar'), ''));
  assert.deepEqual(readdirSync(root), ['kafka']);
  assert.equal(existsSync(join(folder, 'old.jar')), false);
  assert.equal(isStamped(folder, 'v2'), true);
});
