import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLabels } from './label-change';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'roundhouse-labels-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const labels = { models: new Map([['stable' as const, new Map([['m', '1']])]]), canaryShare: 0 };

test('labels are written whole, beside nothing else', () => {
  const file = join(folder, 'labels.json');
  writeLabels(file, labels);
  writeLabels(file, labels);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ stable: { m: '1' } });
  expect(readdirSync(folder)).toEqual(['labels.json']);
});

test('a file that can’t be written is named, and nothing is left', () => {
  const file = join(folder, 'labels.json');
  mkdirSync(file);
  const fault = { code: 'CONFIG_INVALID', message: expect.stringContaining(`${file} can't be written: `) };
  expect(() => writeLabels(file, labels)).toThrow(expect.objectContaining(fault) as Error);
  expect(readdirSync(folder)).toEqual(['labels.json']);
});
