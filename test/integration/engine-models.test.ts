import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UnixMs } from '#schemas/brands';
import { echoConfig, echoInputs } from './engine-repository';
import { all, broken, ServedRepository, until } from './served-repository';

jest.setTimeout(60_000);

let served: ServedRepository;

beforeEach(() => {
  served = new ServedRepository();
});
afterEach(() => served.stop());

test('old and new versions serve side by side, and one whose folder is gone is refused', async () => {
  await served.start();
  served.put('2');
  expect(await served.answers('2')).toBe('MODEL_UNAVAILABLE');
  await served.client.loadModel('echo');
  expect([await served.answers('1'), await served.answers('2'), await served.answers('')]).toEqual([
    '1',
    '2',
    '2',
  ]);
  rmSync(join(served.repository.folder, 'echo', '1'), { recursive: true });
  expect(await served.answers('1')).toBe('1');
  await served.client.loadModel('echo');
  expect([await served.answers('1'), await served.answers('2')]).toEqual(['MODEL_UNAVAILABLE', '2']);
  expect(
    await until(
      () => served.states(),
      (rows) => !('echo 1' in rows),
    ),
  ).toEqual({ 'echo 2': 'READY' });
});

/** Inferences by version that the core has counted. */
async function counted(): Promise<Record<string, unknown>> {
  const answer = await served.ask('ModelStatistics', { name: 'echo' });
  const rows = answer['model_stats'] as { version: string; inference_count: unknown }[];
  return Object.fromEntries(rows.map((row) => [row.version, Number(row.inference_count)]));
}

test('a reload makes every version anew though nothing changed, a load does not', async () => {
  served.put('2');
  await served.start();
  // The core counts by loaded version: what was counted goes with it.
  expect([await served.answers('1'), await served.answers('2'), await counted()]).toEqual([
    '1',
    '2',
    { 1: 1, 2: 1 },
  ]);
  await served.client.loadModel('echo');
  expect(await counted()).toEqual({ 1: 1, 2: 1 });
  for (const time of ['first', 'second']) {
    await served.ask('RepositoryModelLoad', {
      model_name: 'echo',
      parameters: { reload: { bool_param: true } },
    });
    expect([time, await counted()]).toEqual([time, { 1: 0, 2: 0 }]);
    expect([await served.answers('1'), await served.answers('2'), await counted()]).toEqual([
      '1',
      '2',
      { 1: 1, 2: 1 },
    ]);
  }
});

test('a version that is retired answers what it was asked before', async () => {
  await served.start();
  served.put('2');
  await served.client.loadModel('echo');
  const inputs = echoInputs([5], 1, 400);
  const deadline = (Date.now() + 10_000) as UnixMs;
  const running = served.client.infer({ model: 'echo', version: '1', requestId: '', inputs }, deadline);
  // Its row in the index says when the core has it: a request of the same connection comes behind it.
  await served.answers('2');
  rmSync(join(served.repository.folder, 'echo', '1'), { recursive: true });
  await served.client.loadModel('echo');
  expect(await served.answers('1')).toBe('MODEL_UNAVAILABLE');
  expect((await running).version).toBe('1');
});

test('files of a version that serves may not change; what is loaded goes on', async () => {
  await served.start();
  writeFileSync(join(served.repository.folder, 'echo', '1', 'model.txt'), 'other');
  served.put('2');
  await expect(served.client.loadModel('echo')).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: expect.stringMatching(/echo\/1: .*changed after it was loaded.*version 1 serves on/) as string,
  });
  expect(await served.answers('1')).toBe('1');
  writeFileSync(join(served.repository.folder, 'echo', '1', 'model.txt'), 'echo');
  await served.client.loadModel('echo');
  expect(await served.states()).toEqual({ 'echo 1': 'READY', 'echo 2': 'READY' });
});

test('a broken configuration leaves the old one serving and says why, until it is right again', async () => {
  await served.start();
  const config = join(served.repository.folder, 'echo', 'config.pbtxt');
  writeFileSync(config, 'backend: "echo"\nmax_batch_size: many\n');
  await expect(served.client.loadModel('echo')).rejects.toThrow(/config\.pbtxt:2:17: Expected integer/);
  expect(await served.answers('1')).toBe('1');
  expect(await served.client.isReady()).toBe(true);
  expect((await served.client.repositoryIndex()).find(({ reason }) => reason !== '')).toMatchObject({
    name: 'echo',
    state: 'UNAVAILABLE',
    reason: expect.stringMatching(/config\.pbtxt:2:17/) as string,
  });
  writeFileSync(config, echoConfig(all));
  await served.client.loadModel('echo');
  expect(await served.states()).toEqual({ 'echo 1': 'READY' });
});

test.each([
  ['the backend refuses', echoConfig(`${all}\n${broken}`), /echo\/1: dry run: told to fail at load/],
  [
    'names a backend that is not there',
    echoConfig(all).replace('"echo"', '"nope"'),
    /unable to find backend/,
  ],
])('a configuration that %s leaves the old one serving, also with a new version', async (_, text, why) => {
  await served.start();
  served.repository.write('echo', text);
  served.put('2');
  for (const load of ['first', 'again']) {
    const loading = served.client.loadModel('echo');
    await expect(loading).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    await expect(loading).rejects.toThrow(why);
    await expect(loading).rejects.toThrow(/version 1 serves on/);
    expect([load, await served.answers('1'), await served.client.isReady()]).toEqual([load, '1', true]);
  }
  served.repository.write('echo', echoConfig(all));
  await served.client.loadModel('echo');
  expect([await served.answers('1'), await served.answers('2')]).toEqual(['1', '2']);
});

test.each([
  ['a backend that is not there', echoConfig(all).replace('"echo"', '"nope"')],
  ['what the backend refuses', echoConfig(`${all}\n${broken}`)],
])('an engine whose last load failed for %s stops in order', async (_, text) => {
  await served.start();
  served.repository.write('echo', text);
  await expect(served.client.loadModel('echo')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect(await served.engine.stop()).toBe(0);
  // The core's own stop would run into its time-out, and fail.
  expect(served.engine.log.map(({ event }) => event)).not.toContain('CloseFailed');
});
