import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whileLocked } from './labels-lock';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-lock-'));
  file = join(folder, 'labels.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a lock of ours says, with changes. */
async function lockText(changes: object): Promise<string> {
  const ours = await whileLocked(file, () => JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as object);
  return JSON.stringify({ ...ours, nonce: 'theirs', ...changes });
}

test('what is done while locked finds the lock there, and nothing is left afterwards', async () => {
  expect(await whileLocked(file, () => existsSync(`${file}.lock`))).toBe(true);
  const failing = whileLocked(file, () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock of a process that is gone is passed over, by one of several', async () => {
  const { pid } = spawnSync('true');
  writeFileSync(`${file}.lock`, await lockText({ pid, started: '1' }));
  const counts: number[] = [];
  const add = () => counts.push(counts.length);
  await Promise.all([1, 2, 3].map(() => whileLocked(file, add)));
  expect(counts).toEqual([0, 1, 2]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock whose process id went to another process is passed over, too', async () => {
  writeFileSync(`${file}.lock`, await lockText({ started: '1' }));
  expect(await whileLocked(file, () => 'done')).toBe('done');
});

test('a process that died while it cleared the lock of another is passed over, too', async () => {
  const { pid } = spawnSync('true');
  const texts = new Map<string, string>();
  for (const nonce of ['first', 'second', 'third'])
    texts.set(nonce, await lockText({ pid, started: '1', nonce }));
  writeFileSync(`${file}.lock`, texts.get('first')!);
  writeFileSync(`${file}.lock.first`, texts.get('second')!);
  writeFileSync(`${file}.lock.first.second`, texts.get('third')!);
  expect(await whileLocked(file, () => 'done')).toBe('done');
  expect(readdirSync(folder)).toEqual([]);
});

test('what killed processes left beside the file goes, what others are writing stays', async () => {
  const { pid } = spawnSync('true');
  const left = await lockText({ pid, started: '1' });
  const living = await lockText({});
  writeFileSync(`${file}.new-left`, '');
  writeFileSync(`${file}.lock.left.new`, left);
  writeFileSync(`${file}.lock.claim`, left);
  writeFileSync(`${file}.lock.living.new`, living);
  writeFileSync(`${file}.lock.begun.new`, '');
  expect(await whileLocked(file, () => 'done')).toBe('done');
  expect(readdirSync(folder).sort()).toEqual(['labels.json.lock.begun.new', 'labels.json.lock.living.new']);
});

test('one that lives and clears a lock is waited for no longer than a lock', async () => {
  const { pid } = spawnSync('true');
  writeFileSync(`${file}.lock.theirs`, await lockText({ nonce: 'second' }));
  writeFileSync(`${file}.lock`, await lockText({ pid, started: '1' }));
  await expect(whileLocked(file, () => 'done', 50)).rejects.toThrow(`held by process ${pid}`);
});

test.each([
  ['of a process that lives', {}, /held by process \d+ of /],
  [
    'of another host, whose processes nobody here can see',
    { place: 'other', pid: 1 },
    /process 1 of other since /,
  ],
])('a lock %s is waited for, then named', async (_, changes, why) => {
  const text = await lockText(changes);
  writeFileSync(`${file}.lock`, text);
  await expect(whileLocked(file, () => 'done', 50)).rejects.toThrow(why);
  expect(readFileSync(`${file}.lock`, 'utf8')).toBe(text);
});

test('a lock that says nothing is somebody’s', async () => {
  writeFileSync(`${file}.lock`, '');
  await expect(whileLocked(file, () => 'done', 0)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/labels\.json\.lock is held by somebody; remove it/) as string,
  });
});

test('a folder that is not there, or is none, is named', async () => {
  writeFileSync(file, '');
  for (const absent of [join(folder, 'none'), file]) {
    const attempt = whileLocked(join(absent, 'labels.json'), () => 'done', 0);
    await expect(attempt).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`${join(absent, 'labels.json.lock')} can't be made: `) as string,
    });
  }
});
