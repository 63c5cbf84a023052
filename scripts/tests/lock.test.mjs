import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTimeOf, withLock } from '../setup/lock.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('two set-ups run one after the other, and the second says whom it waits for', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  const order = [];
  const waitedFor = [];
  const first = withLock(
    file,
    () => {},
    async () => {
      order.push('first begins');
      await pause(300);
      order.push('first ends');
    },
  );
  const second = withLock(
    file,
    (pid) => waitedFor.push(pid),
    async () => order.push('second'),
  );
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first begins', 'first ends', 'second']);
  assert.deepEqual(waitedFor, [process.pid]);
  assert.equal(existsSync(file), false);
});

test('the lock of a killed set-up does not block the next one', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  writeFileSync(file, JSON.stringify({ pid: child.pid, started: startTimeOf(child.pid) }));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  assert.equal(await withLock(file, assert.fail, async () => 'done'), 'done');
});

test('a process id that was given to another process does not block either', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  writeFileSync(file, JSON.stringify({ pid: process.pid, started: '1' }));
  assert.equal(await withLock(file, assert.fail, async () => 'done'), 'done');
});

test('an unreadable lock is removed', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  writeFileSync(file, '{');
  assert.equal(await withLock(file, assert.fail, async () => 'done'), 'done');
});

test('the lock is given back when the work fails', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  const failing = withLock(file, assert.fail, async () => {
    throw new Error('no network');
  });
  await assert.rejects(failing, /no network/);
  assert.equal(existsSync(file), false);
});

test('of several waiters for a dead holder each gets its turn, one at a time', async (t) => {
  const file = join(temporaryFolder(t), 'lock');
  writeFileSync(file, JSON.stringify({ pid: 0, started: 'dead' }));
  let inside = 0;
  const turns = Array.from({ length: 5 }, () =>
    withLock(
      file,
      () => {},
      async () => {
        inside += 1;
        assert.equal(inside, 1);
        await pause(20);
        inside -= 1;
      },
    ),
  );
  await Promise.all(turns);
});
