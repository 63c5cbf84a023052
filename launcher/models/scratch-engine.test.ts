import { spawn } from 'node:child_process';
import { endOf, failureIn, stopChild } from './scratch-engine';

/** A process that says when it has its handler, and how it ended. */
async function started(onTerm: string) {
  const program = `process.on('SIGTERM', ${onTerm}); setInterval(() => {}, 1000); process.send('up')`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  await new Promise((resolve) => child.once('message', resolve));
  return { child, ended };
}

test('one that takes no notice of SIGTERM is killed', async () => {
  const { child, ended } = await started('() => {}');
  await stopChild(child, ended, 50);
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test('one that is stopped, too', async () => {
  const { child, ended } = await started('() => {}');
  child.kill('SIGSTOP');
  await stopChild(child, ended, 50);
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
});

test('one that ends in order is left to it', async () => {
  const { child, ended } = await started('() => process.exit(3)');
  await stopChild(child, ended, 60_000);
  expect(await ended).toEqual({ code: 3, signal: null });
});

test('one that is gone already is not waited for', async () => {
  const { child, ended } = await started('() => {}');
  child.kill('SIGKILL');
  await ended;
  await stopChild(child, ended, 60_000);
});

test.each([
  ['', ''],
  ['a line of the core\nanother\n', 'another'],
  [
    'I1 core\nengine: CONFIG_INVALID: A: no number\nB: no number\n',
    'engine: CONFIG_INVALID: A: no number\nB: no number',
  ],
])('of %j the failure is %j', (said, failure) => {
  expect(failureIn(said)).toBe(failure);
});

test('what one said of its end is told, though another process holds its standard error open', async () => {
  const holder = `require('node:child_process').spawn('sleep', ['20'], { stdio: ['ignore', 'ignore', 'inherit'] })`;
  const program = `const { pid } = ${holder}; process.stderr.write('engine: no', () => { console.log(pid); process.exit(2) })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const pid = new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))));
  expect(await endOf(child)).toBe('it ended with exit code 2: engine: no');
  process.kill(await pid, 'SIGKILL');
});

test('a program that is not there is told', async () => {
  const child = spawn('/nonexistent', [], { stdio: ['ignore', 'ignore', 'pipe'] });
  expect(await endOf(child)).toMatch('ENOENT');
});
