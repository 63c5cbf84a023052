import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { whileLocked } from '#launcher/models/labels-lock';
import { projectPath } from '#schemas/project-root';
import { echoConfig, makeRepository, type TestRepository } from './engine-repository';

jest.setTimeout(60_000);

const names = ['a', 'b', 'c', 'd'];
let repository: TestRepository;

beforeEach(() => {
  repository = makeRepository({});
  for (const name of names) repository.write(name, echoConfig(), ['1', '2']);
  const stable = Object.fromEntries(names.map((name) => [name, '1']));
  writeFileSync(join(repository.folder, 'labels.json'), JSON.stringify({ stable }));
});
afterEach(() => repository.remove());

function label(...args: string[]): Promise<{ stdout: string }> {
  const main = projectPath('dist', 'launcher', 'models', 'main.js');
  const env = { PATH: process.env['PATH'], ROUNDHOUSE_MODELS_DIR: repository.folder };
  return promisify(execFile)(process.execPath, [main, 'label', ...args, '--offline'], { env });
}

const labels = (): unknown => JSON.parse(readFileSync(join(repository.folder, 'labels.json'), 'utf8'));

/** Processes that would all read the file before the first of them writes it. */
test('commands that run at once lose none of their changes', async () => {
  const lock = join(repository.folder, 'labels.json');
  let running: Promise<unknown> = Promise.resolve();
  await whileLocked(lock, () => {
    running = Promise.all([
      ...names.map((name) => label('stable', `${name}=2`)),
      label('canary', 'a=2', '--share', '20%'),
    ]);
  });
  await running;
  expect(labels()).toMatchObject({
    stable: { a: '2', b: '2', c: '2', d: '2' },
    canary: { a: '2' },
    canaryShare: 0.2,
  });
  expect(readdirSync(repository.folder).sort()).toEqual([...names, 'labels.json']);
});

test('a command that was killed while it held the lock holds up no other', async () => {
  const lock = join(repository.folder, 'labels.json.lock');
  const held = await whileLocked(join(repository.folder, 'labels.json'), () => readFileSync(lock, 'utf8'));
  const gone = execFile('true');
  await new Promise((resolve) => gone.once('close', resolve));
  writeFileSync(lock, JSON.stringify({ ...(JSON.parse(held) as object), pid: gone.pid }));
  await Promise.all([label('stable', 'a=2'), label('stable', 'b=2')]);
  expect(labels()).toMatchObject({ stable: { a: '2', b: '2', c: '1' } });
  expect(readdirSync(repository.folder).sort()).toEqual([...names, 'labels.json']);
});
