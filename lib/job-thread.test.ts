import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JobThread } from './job-thread';

const folder = mkdtempSync(join(tmpdir(), 'job-thread-'));
const file = join(folder, 'thread.js');
writeFileSync(
  file,
  `const { parentPort, workerData, threadId } = require('node:worker_threads');
  parentPort.on('message', (job) => {
    if (job === 'end') process.exit(3);
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
