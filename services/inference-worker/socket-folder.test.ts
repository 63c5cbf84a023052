import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSocketFolder } from './socket-folder';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roundhouse-folders-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function leftBy(pid: number): string {
  const name = `roundhouse-engine-${pid}-abcdef`;
  mkdirSync(join(root, name, '1'), { recursive: true });
  writeFileSync(join(root, name, '1', 'engine.sock'), '');
  return name;
}

test('only our own user may look into it', () => {
  expect(statSync(makeSocketFolder(root)).mode & 0o777).toBe(0o700);
});

test('what killed workers left is removed, that of others that live is not', () => {
  // The process has ended and been waited for.
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  leftBy(dead);
  const kept = [leftBy(process.pid), leftBy(process.ppid)];
  mkdirSync(join(root, 'another-engine-1-x'));
  const own = makeSocketFolder(root);
  expect(readdirSync(root).sort()).toEqual(
    [...kept, 'another-engine-1-x', own.slice(root.length + 1)].sort(),
  );
});
