import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JobThread, youngRoom } from './job-thread';

const folder = mkdtempSync(join(tmpdir(), 'job-thread-'));
const file = join(folder, 'thread.js');
writeFileSync(
  file,
  `const { parentPort, workerData, threadId } = require('node:worker_threads');
  parentPort.on('message', (job) => {
    if (job === 'end') process.exit(3);
    if (job === 'spin') for (;;);
    if (job === 'throw') throw new Error('thrown there');
    parentPort.postMessage({ said: workerData.greeting + job, threadId });
  });`,
);
const thread = new JobThread<string, { said: string; threadId: number }>(file, { greeting: 'hi ' }, 'greets');
afterAll(async () => {
  await thread.stop();
  rmSync(folder, { recursive: true });
});

test('a job that cannot be sent is refused, and the thread goes on', async () => {
  // Once its rejection at the end of the thread was nobody's and ended the process.
  await expect(thread.ask((() => 'a function') as unknown as string)).rejects.toThrow('could not be cloned');
  expect((await thread.ask('e')).said).toBe('hi e');
  await expect(thread.ask('end')).rejects.toThrow('ended');
});

test('jobs are answered by one thread; one that ends is named, and the next job finds another', async () => {
  const first = await thread.ask('a');
  expect(first.said).toBe('hi a');
  expect(await thread.ask('b')).toEqual({ said: 'hi b', threadId: first.threadId });
  await expect(thread.ask('end')).rejects.toThrow('the thread that greets ended');
  const other = await thread.ask('c');
  expect(other.said).toBe('hi c');
  expect(other.threadId).not.toBe(first.threadId);
  await expect(thread.ask('throw')).rejects.toThrow('thrown there');
  expect((await thread.ask('d')).said).toBe('hi d');
});

test('an answer that cannot be read fails its job, and the thread goes on', async () => {
  const lost = thread.ask('f');
  thread.start().emit('messageerror', new Error('not to be read'));
  await expect(lost).rejects.toThrow("the answer of the thread that greets can't be read");
  expect((await thread.ask('g')).said).toMatch(/^hi [fg]$/);
});

// Guards against a thread that hangs and leaves every later job without an answer.
test('a thread that hangs is replaced: its job is given up, the next one has another', async () => {
  const before = await thread.ask('j');
  const hung = thread.ask('spin');
  thread.replace();
  await expect(hung).rejects.toThrow('the thread that greets did not answer');
  const after = await thread.ask('k');
  expect(after.said).toBe('hi k');
  expect(after.threadId).not.toBe(before.threadId);
});

test('no job starts a thread that was stopped', async () => {
  const own = new JobThread<string, { said: string }>(file, { greeting: 'hi ' }, 'greets once');
  expect((await own.ask('h')).said).toBe('hi h');
  await own.stop();
  await expect(own.ask('i')).rejects.toThrow('the thread that greets once is stopped');
  expect(() => own.start()).toThrow('is stopped');
});

const gib = 2 ** 30;

test.each([
  ['two cores: what V8 gives', 2, 16 * gib, 48],
  // Guards against an ingest that is killed for its memory: the chart gives it 1 GiB, on whatever machine.
  ['sixteen with 1 GiB: what V8 gives', 16, gib, 48],
  ['sixteen with 2 GiB: room for what a large round makes', 16, 2 * gib, 192],
])('%s', async (_, cores, memoryBytes, megabytes) => {
  const code = `const { parentPort, resourceLimits } = require('node:worker_threads'); parentPort.postMessage(resourceLimits)`;
  const worker = new Worker(code, { eval: true, resourceLimits: youngRoom(cores, memoryBytes) });
  const [limits] = (await once(worker, 'message')) as [{ maxYoungGenerationSizeMb: number }];
  expect(limits.maxYoungGenerationSizeMb).toBe(megabytes);
});
