import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastWords, runLogged, stateOf } from '../setup/command.mjs';
import { packagesMatch } from '../setup/npm-packages.mjs';
import { runSteps } from '../setup/run-steps.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const step = (name, needs, run) => ({ name, needs, run });

test('a step begins when those it needs have ended, and each is reported with its seconds', async () => {
  const order = [];
  const lines = [];
  const steps = [
    step('a', [], async () => order.push('a')),
    step('b', ['a', 'not open'], async () => order.push('b')),
    step('c', ['b'], async () => order.push('c')),
  ];
  await runSteps(steps, (line) => lines.push(line), { now: () => 0 });
  assert.deepEqual(order, ['a', 'b', 'c']);
  assert.deepEqual(lines, [
    '[1/3] a …',
    '[1/3] a … 1 s',
    '[2/3] b …',
    '[2/3] b … 1 s',
    '[3/3] c …',
    '[3/3] c … 1 s',
  ]);
});

test('after a failure nothing new begins, and what runs is waited for', async () => {
  const order = [];
  const steps = [
    step('a', [], async () => {
      throw new Error('a failed');
    }),
    step('b', [], async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('b');
    }),
    step('c', ['a'], async () => order.push('c')),
  ];
  await assert.rejects(
    runSteps(steps, () => {}),
    /a failed/,
  );
  assert.deepEqual(order, ['b']);
});

test('what a step is at is read from the log of its command', async (t) => {
  const folder = temporaryFolder(t);
  const [go, log] = [join(folder, 'go'), join(folder, 'make.log')];
  const script = `echo '[ 45%] Building CXX object'; until [ -e ${go} ]; do sleep 0.05; done`;
  const build = step('build', [], () => runLogged('sh', ['-c', script], { log }));
  const ended = runSteps([build, step('other', [], async () => {})], () => {});
  while (stateOf('build') !== '45%') await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(stateOf('other'), null);
  writeFileSync(go, '');
  await ended;
  assert.equal(stateOf('build'), null);
});

test("the last words are make's share, else the last line, cut", () => {
  assert.equal(lastWords('[  9%] Building a\n[ 10%] Linking b\nnote: …\n'), '10%');
  assert.equal(lastWords('Collecting x\n  Downloading x.whl (1234.5 MB)\n'), 'Downloading x.whl (1234.5 MB)');
  assert.equal(lastWords('\n'), null);
  // 79 characters and an ellipsis.
  assert.equal(lastWords('y'.repeat(90)), `${'y'.repeat(79)}…`);
});

test('a failed command shows its words, its code and the end of its log', async (t) => {
  const log = join(temporaryFolder(t), 'logs', 'x.log');
  const failing = runLogged('sh', ['-c', 'echo reason; exit 3'], { log });
  await assert.rejects(failing, /sh -c echo reason; exit 3\nended with 3.*\nreason/s);
});

test('a command that is absent is an error that names it', async (t) => {
  const log = join(temporaryFolder(t), 'x.log');
  await assert.rejects(runLogged('no-such-program', [], { log }), /no-such-program could not be started/);
});

test('npm packages are compared by version; those of other platforms may be absent', (t) => {
  const root = temporaryFolder(t);
  const write = (file, packages) => writeFileSync(join(root, file), JSON.stringify({ packages }));
  mkdirSync(join(root, 'node_modules'));
  const wanted = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a-darwin': { version: '1.0.0', optional: true },
  };
  write('package-lock.json', wanted);
  assert.equal(packagesMatch(root), false);
  write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
  assert.equal(packagesMatch(root), true);
  write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.1' } });
  assert.equal(packagesMatch(root), false);
  write('node_modules/.package-lock.json', {});
  assert.equal(packagesMatch(root), false);
});
