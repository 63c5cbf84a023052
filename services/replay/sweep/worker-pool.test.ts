import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SweepTask } from './sweep-worker';
import { askAll } from './worker-pool';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-pool-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function mainOf(source: string): string {
  const file = join(folder, 'main.js');
  writeFileSync(file, source);
  return file;
}

const tasks = ['a', 'b', 'c'].map((name): SweepTask => ({
  folder: name,
  roundMinutes: 1,
  point: {},
  ready: 'known',
  modelsDir: '',
}));

async function answersOf(source: string, count = tasks.length) {
  const found: unknown[] = [];
  const pool = { jobs: 1, signal: new AbortController().signal, main: mainOf(source) };
  await askAll(tasks.slice(0, count), pool, (task, answer) => found.push([task.folder, answer]));
  return found;
}

// Guards against a sweep that waited for good for the answer of a process that had ended after its last one.
test('a process that is no longer there for the next task is replaced', async () => {
  const answersOnce = `process.once('message', ({ folder }) => {
    process.send({ error: folder });
    process.disconnect();
  });`;
  const found = await answersOf(answersOnce);
  expect(found).toHaveLength(3);
  expect(found[0]).toEqual(['a', { error: 'a' }]);
});

test('a process that ends over its task is an answer, and the next task has another', async () => {
  const found = await answersOf(`process.on('message', () => process.exit(7));`, 2);
  expect(found).toEqual([
    ['a', { error: 'its process ended with 7' }],
    ['b', { error: 'its process ended with 7' }],
  ]);
});
