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

// A read that took longer than the time between two looks told of its old text behind a newer one's.
test('a look begins when the one before has ended, and one on its way at the end tells nothing', async () => {
  jest.useFakeTimers();
  try {
    const told: string[] = [];
    const reads: ((text: string) => void)[] = [];
    write('a:1');
    const file = new RemoteFile({
      path,
      everyMs: 5,
      readText: () => new Promise((resolve) => reads.push(resolve)),
      onEntries: (entries) => told.push(...entries.map(({ name }) => name)),
      onFault: (reason) => told.push(reason),
    });
    await jest.advanceTimersByTimeAsync(50);
    expect(reads).toHaveLength(1);
    reads[0]!('{"engines":[{"address":"b:2"}]}');
    await jest.advanceTimersByTimeAsync(5);
    expect(reads).toHaveLength(2);
    file.close();
    reads[1]!('{"engines":[{"address":"c:3"}]}');
    await jest.advanceTimersByTimeAsync(50);
    expect(told).toEqual(['a:1', 'b:2']);
    expect(reads).toHaveLength(2);
  } finally {
    jest.useRealTimers();
  }
});

// The file was read twice at the start, once for its list and once to know it again: a change between them never counted.
test('a change right behind the first reading counts', async () => {
  write('a:1');
  let seen: () => void;
  const changed = new Promise<void>((resolve) => (seen = resolve));
  const lists: string[] = [];
  const file = new RemoteFile({
    path,
    everyMs: 5,
    onEntries: ([first]) => {
      lists.push(first!.name);
      if (lists.length === 1) write('b:2');
      else seen();
    },
    onFault: (reason) => lists.push(reason),
  });
  await changed;
  file.close();
  expect(lists).toEqual(['a:1', 'b:2']);
});
