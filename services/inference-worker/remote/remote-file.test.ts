import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RemoteEntry } from './remote-entry';
import { readRemoteFile, RemoteFile } from './remote-file';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-remotes-'));
  path = join(folder, 'remotes.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** At once, so that nobody reads half of it. */
function put(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
const write = (...addresses: string[]): void =>
  put(JSON.stringify({ engines: addresses.map((address) => ({ address })) }));

test('a list', () => {
  write('a:1', 'b:2');
  expect(readRemoteFile(path).map(({ name }) => name)).toEqual(['a:1', 'b:2']);
});

test.each([
  ['{', /JSON/],
  ['[]', /engines/],
  [
    '{"engines":[{"address":"nowhere"},{"address":"a:1","kind":"x"}]}',
    /2 faults[\s\S]*engines\[0\].address[\s\S]*engines\[1\].kind/,
  ],
  [`"${'x'.repeat(1_048_576)}"`, /at most 1048576/],
])('a file that is none: %.20s', (text, expected) => {
  writeFileSync(path, text);
  expect(() => readRemoteFile(path)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  expect(() => readRemoteFile(path)).toThrow(expected);
});

test('no file', () => {
  expect(() => readRemoteFile(join(folder, 'other'))).toThrow(/ROUNDHOUSE_REMOTE_ENGINES[\s\S]*ENOENT/);
  expect(() => readRemoteFile(folder)).toThrow(/EISDIR/);
});

test('a change counts, and a bad one leaves the last good list', async () => {
  const lists: (readonly RemoteEntry[])[] = [];
  const faults: string[] = [];
  let next: () => void = () => undefined;
  const told = (): Promise<void> => new Promise((resolve) => (next = resolve));
  write('a:1');
  const file = new RemoteFile({
    path,
    everyMs: 5,
    onEntries: (entries) => (lists.push(entries), next()),
    onFault: (reason) => (faults.push(reason), next()),
  });
  const names = () => lists.at(-1)!.map(({ name }) => name);
  expect(names()).toEqual(['a:1']);
  for (const change of [
    () => write('a:1', 'c:3'),
    () => put('none'),
    () => rmSync(path),
    () => write('d:4'),
  ]) {
    const once = told();
    change();
    await once;
  }
  file.close();
  expect(names()).toEqual(['d:4']);
  expect([lists.length, faults.length]).toEqual([3, 2]);
  expect(faults[1]).toMatch(/ENOENT/);
});
