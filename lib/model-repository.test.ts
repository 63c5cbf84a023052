import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RoundhouseError } from '#schemas/errors';
import { contentHashOf, loadModelRepository, readContentHash } from './model-repository';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function addVersion(model: string, version: string, text: string): void {
  mkdirSync(join(folder, model, version), { recursive: true });
  writeFileSync(join(folder, model, version, 'model.txt'), text);
}
function faults(): readonly { path: string; limit: string }[] {
  try {
    loadModelRepository(folder);
  } catch (error) {
    return (error as RoundhouseError).faults;
  }
  return [];
}

test('resolves a label to versions and content hashes, sorted by name', () => {
  addVersion('b', '2', 'two');
  addVersion('a', '1', 'one');
  writeFileSync(join(folder, 'labels.json'), JSON.stringify({ stable: { b: '2', a: '1' } }));
  const repository = loadModelRepository(folder);
  expect(repository.labels).toEqual(['stable']);
  expect(repository.refsOf('stable').map(({ name, version }) => `${name}:${version}`)).toEqual([
    'a:1',
    'b:2',
  ]);
  expect(repository.refsOf('stable')[0]!.contentHash).toMatch(/^[0-9a-f]{64}$/);
  expect(repository.refsOf('canary')).toEqual([]);
});

test('the hash changes with a byte, a name, and where a byte stands', () => {
  addVersion('a', '1', 'xy');
  const before = contentHashOf(join(folder, 'a', '1'));
  addVersion('a', '1', 'xz');
  const changed = contentHashOf(join(folder, 'a', '1'));
  writeFileSync(join(folder, 'a', '1', 'other'), '');
  const added = contentHashOf(join(folder, 'a', '1'));
  expect(new Set([before, changed, added]).size).toBe(3);
  return expect(readContentHash(join(folder, 'a', '1'))).resolves.toBe(added);
});

test('names file and field of everything wrong', () => {
  expect(faults()[0]!.limit).toBe('the file is absent; ROUNDHOUSE_MODELS_DIR names the folder of models');
  writeFileSync(join(folder, 'labels.json'), '{');
  expect(faults()[0]!.limit).toMatch(/not JSON/);
  writeFileSync(join(folder, 'labels.json'), '{"stable": {"a": "1", "b": "2"}}');
  expect(faults().map(({ path }) => path)).toEqual(['stable.a', 'stable.b']);
});

test('a version that leads out of the repository is refused', () => {
  addVersion('a', '1', 'one');
  mkdirSync(join(folder, 'b'));
  symlinkSync(tmpdir(), join(folder, 'b', '1'));
  symlinkSync('1', join(folder, 'a', '2'));
  writeFileSync(join(folder, 'labels.json'), '{"stable": {"a": "2", "b": "1"}}');
  expect(faults()).toMatchObject([{ path: 'stable.b', limit: expect.stringMatching(/leads out/) as string }]);
});
