import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryPoll } from './repository-poll';

let folder: string;
let asked: string[];
let poll: RepositoryPoll;
const models = {
  load: (model: string) => Promise.resolve(void asked.push(`load ${model}`)),
  unload: (model: string) => Promise.resolve(void asked.push(`unload ${model}`)),
};

let written = 0;
/** Each at a time of its own: kernels before 6.13 tell times apart only by some milliseconds. */
function put(path: string, text = 'x'): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
  utimesSync(join(folder, path), ++written, written);
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-poll-'));
  put('a/config.pbtxt');
  put('a/1/model.txt');
  asked = [];
  poll = new RepositoryPoll(models, folder, null);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a number of looks in a row ask for. */
async function looks(count: number): Promise<string[]> {
  asked = [];
  for (let i = 0; i < count; i += 1) await poll.look();
  return asked;
}

test('what was there at the start is left alone', async () => {
  expect(await looks(3)).toEqual([]);
});

test('a version that is being written is left alone until it is the same at two looks', async () => {
  for (const piece of ['1', '12', '123']) {
    put('a/2/model.txt', piece);
    expect(await looks(1)).toEqual([]);
  }
  expect(await looks(3)).toEqual(['load a']);
});

test('so is one whose bytes are replaced by as many', async () => {
  put('a/2/model.txt', 'one');
  expect(await looks(1)).toEqual([]);
  put('a/2/model.txt', 'two');
  expect(await looks(1)).toEqual([]);
  expect(await looks(2)).toEqual(['load a']);
});

test('a version that is renamed into place is taken, names that are no versions are not looked at', async () => {
  put('a/.2.tmp/model.txt');
  put('a/retired/1/model.txt');
  put('a/02/model.txt');
  expect(await looks(3)).toEqual([]);
  renameSync(join(folder, 'a/.2.tmp'), join(folder, 'a/2'));
  expect(await looks(3)).toEqual(['load a']);
});

test('a version that goes, a new model, a model that goes, and one that comes back', async () => {
  put('a/2/model.txt');
  expect(await looks(2)).toEqual(['load a']);
  rmSync(join(folder, 'a/2'), { recursive: true });
  expect(await looks(3)).toEqual(['load a']);
  put('b/config.pbtxt');
  put('b/1/model.txt');
  expect(await looks(3)).toEqual(['load b']);
  renameSync(join(folder, 'b'), join(folder, '.b'));
  expect(await looks(3)).toEqual(['unload b']);
  renameSync(join(folder, '.b'), join(folder, 'b'));
  expect(await looks(3)).toEqual(['load b']);
});

test('a broken version is not tried again until it changes', async () => {
  const refusing = new RepositoryPoll(
    { ...models, load: () => Promise.reject(new Error(String(asked.push('refused')))) },
    folder,
    null,
  );
  poll = refusing;
  put('a/2/model.txt', 'broken');
  expect(await looks(5)).toEqual(['refused']);
  put('a/2/model.txt', 'mended');
  expect(await looks(5)).toEqual(['refused']);
});

test('models that lead out of the repository, or are not asked for, are not taken', async () => {
  const other = mkdtempSync(join(tmpdir(), 'roundhouse-poll-'));
  mkdirSync(join(other, 'm', '1'), { recursive: true });
  writeFileSync(join(other, 'm', 'config.pbtxt'), '');
  symlinkSync(join(other, 'm'), join(folder, 'm'));
  expect(await looks(3)).toEqual([]);
  poll = new RepositoryPoll(models, folder, ['a']);
  put('b/config.pbtxt');
  expect(await looks(3)).toEqual([]);
  rmSync(other, { recursive: true });
});

test('a repository that is away is no reason to unload anything', async () => {
  renameSync(folder, `${folder}.away`);
  expect(await looks(3)).toEqual([]);
  renameSync(`${folder}.away`, folder);
  expect(await looks(3)).toEqual([]);
});
