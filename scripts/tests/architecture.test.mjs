import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOrEmpty, trackedFiles } from '../checks/git-files.mjs';

const page = readOrEmpty('docs/architecture.md');
const rows = new Map(
  [...page.matchAll(/^\| `([a-z]+)\/` +\| (.*) \|$/gm)].map(([, name, text]) => [name, text]),
);
const files = trackedFiles();

test('the table of folders has every folder of the repository, and no other', () => {
  const folders = files.filter((name) => name.includes('/') && !name.startsWith('.'));
  assert.deepEqual([...rows.keys()].sort(), [...new Set(folders.map((name) => name.split('/')[0]))].sort());
});

test('its row of native code names every addon and backend', () => {
  const made = files.filter((name) => /^native\/[a-z_]+\/CMakeLists\.txt$/.test(name));
  const built = made.filter((name) => /^roundhouse_(node_addon|triton_backend)\(/m.test(readOrEmpty(name)));
  const named = [...rows.get('native').matchAll(/\(`([a-z_]+)`\)/g)].map(([, name]) => name);
  assert.deepEqual(named.sort(), built.map((name) => name.split('/')[1]).sort());
});
