import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryView, ViewUnwritable } from './repository-view';

let root: string;
let view: RepositoryView;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roundhouse-view-'));
  for (const version of ['1', '2']) {
    mkdirSync(join(root, 'models', 'm', version), { recursive: true });
    writeFileSync(join(root, 'models', 'm', version, 'model.txt'), version);
  }
  writeFileSync(join(root, 'models', 'm', 'config.pbtxt'), 'one');
  view = new RepositoryView(join(root, 'models'), join(root, 'view'));
});
afterEach(() => rmSync(root, { recursive: true }));

const shown = (): string[] => readdirSync(join(view.folder, 'm')).sort();
const config = (): string => join(view.folder, 'm', 'config.pbtxt');

test('only the versions that are to be served are there, and the files are those of the repository', () => {
  view.show('m', ['1', '2']);
  expect(shown()).toEqual(['1', '2', 'config.pbtxt']);
  view.show('m', ['2']);
  expect(shown()).toEqual(['2', 'config.pbtxt']);
  writeFileSync(join(root, 'models', 'm', '2', 'model.txt'), 'more');
  expect(readFileSync(join(view.folder, 'm', '2', 'model.txt'), 'utf8')).toBe('more');
});

test('a configuration beyond the limits is not shown, and nothing else changes', () => {
  view.show('m', ['1']);
  writeFileSync(join(root, 'models', 'm', 'config.pbtxt'), 'max_batch_size: 65537');
  expect(() => view.show('m', ['2'])).toThrow('max_batch_size is 65537, the limit is 65536');
  expect(shown()).toEqual(['1', 'config.pbtxt']);
  expect(readFileSync(config(), 'utf8')).toBe('one');
});

/** As on a full disk. */
test('a view that can not be written is named, and nothing changes', () => {
  view.show('m', ['1']);
  writeFileSync(join(root, 'models', 'm', 'config.pbtxt'), 'two');
  mkdirSync(`${config()}.new`);
  const fault = { file: config(), message: expect.stringMatching(/^can't be written: EISDIR/) as string };
  expect(() => view.show('m', ['2'])).toThrow(expect.objectContaining(fault) as Error);
  expect(shown()).toEqual(['1', 'config.pbtxt']);
  expect(readFileSync(config(), 'utf8')).toBe('one');
  view.show('m', ['2']);
  expect(shown()).toEqual(['2', 'config.pbtxt']);
  expect(readFileSync(config(), 'utf8')).toBe('two');
});

test('a model that can not be shown because the view is no folder any more is told so', () => {
  rmSync(view.folder, { recursive: true });
  writeFileSync(view.folder, '');
  expect(() => view.show('m', ['1'])).toThrow(ViewUnwritable);
  rmSync(view.folder);
  mkdirSync(view.folder);
});

test('the configuration is written again where it differs; a file beside it says that all is to be loaded again', () => {
  view.show('m', ['1']);
  const before = statSync(config()).ino;
  view.show('m', ['1', '2']);
  expect(statSync(config()).ino).toBe(before);
  writeFileSync(join(root, 'models', 'm', 'config.pbtxt'), 'two');
  view.show('m', ['1', '2']);
  expect(readFileSync(config(), 'utf8')).toBe('two');
  view.touch('m');
  view.touch('absent');
  view.show('m', ['2']);
  expect(readdirSync(join(view.folder, 'm')).sort()).toEqual(['2', 'config.pbtxt', 'loaded-again']);
  view.remove('m');
  expect(readdirSync(view.folder)).toEqual([]);
});

test('its end leaves the repository as it is, and words about it name the repository', () => {
  view.show('m', ['1']);
  expect(view.named(`${view.folder}/m/config.pbtxt is wrong`)).toBe(
    `${join(root, 'models')}/m/config.pbtxt is wrong`,
  );
  view.close();
  expect(existsSync(view.folder)).toBe(false);
  expect(readFileSync(join(root, 'models', 'm', '1', 'model.txt'), 'utf8')).toBe('1');
});
