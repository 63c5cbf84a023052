import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderHashes } from './repository-state';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
  mkdirSync(join(folder, 'm', '1'), { recursive: true });
  writeFileSync(join(folder, 'm', '1', 'network.json'), '{}');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a version has the hash of its files', async () => {
  expect(await new FolderHashes(folder).of('m', '1')).toMatch(/^[0-9a-f]{64}$/);
});

test('a version that is absent, no folder, outside or unreadable has none, and spoils no listing', async () => {
  writeFileSync(join(folder, 'm', '2'), '');
  symlinkSync('/etc', join(folder, 'm', '3'));
  symlinkSync('/etc/hostname', join(folder, 'm', '4'));
  mkdirSync(join(folder, 'm', '5'));
  execFileSync('mkfifo', [join(folder, 'm', '5', 'network.json')]);
  const hashes = new FolderHashes(folder);
  const found = await Promise.all(['2', '3', '4', '5', '6'].map((version) => hashes.of('m', version)));
  expect(found).toEqual([null, null, null, null, null]);
});
