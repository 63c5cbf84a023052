import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDevices } from './use-devices';

const folder = mkdtempSync(join(tmpdir(), 'built-for-'));
const file = join(folder, 'built-for.json');
afterEach(() => rmSync(file, { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

const chosen = () => useDevices('cpu', folder, { all: {}, set: () => undefined });

test('a folder of backends without a file of the build is one for the CPU', () => {
  expect(chosen().kind).toBe('cpu');
});

test.each([
  '',
  '{',
  '{}',
  'null',
  '{ "cudaArchitectures": ["ninety"] }',
  '{ "cudaArchitectures": [90, -1] }',
])('a file of the build that says %p is named', (text) => {
  writeFileSync(file, text);
  expect(chosen).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  expect(chosen).toThrow(`${file}, which the build leaves, can't be used`);
});

test('so is one that cannot be read', () => {
  mkdirSync(file);
  expect(chosen).toThrow(`${file}, which the build leaves, can't be used: EISDIR`);
});
