import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

const many = echoConfig(all).replace('count: 2', 'count: 100000');
/** 100,000 threads would keep an engine busy for minutes. */
const tooMany =
  /echo.config\.pbtxt:11:42: instance_group\.count, all groups together, is 100000, the limit is 256/;

test('a configuration beyond the limits is refused at a load and by the poll; what serves goes on', async () => {
  await served.start({ ROUNDHOUSE_MODELS_POLL_MS: '20' });
  served.repository.write('echo', many);
  const reasons = async () => (await served.client.repositoryIndex()).map(({ reason }) => reason).join('\n');
  expect(await until(reasons, (text) => text !== '')).toMatch(tooMany);
  await expect(served.client.loadModel('echo')).rejects.toThrow(tooMany);
  expect([await served.answers('1'), await served.client.isReady()]).toEqual(['1', true]);
  served.repository.write('echo', echoConfig(all));
  await until(reasons, (text) => text === '');
});

test('an engine that starts with a configuration beyond the limits serves the rest', async () => {
  served.repository.write('other', echoConfig(all));
  served.repository.write('echo', many);
  await served.start();
  expect(await served.states()).toMatchObject({ 'other 1': 'READY' });
  expect((await served.client.repositoryIndex()).map(({ reason }) => reason).join()).toMatch(tooMany);
  expect(await served.client.isReady()).toBe(false);
});

/** Everything that a load has as parameters would get past the file. */
test('a load takes no configuration beside that of the repository', async () => {
  await served.start();
  for (const name of ['config', 'file:1/model.txt']) {
    const parameters = { [name]: { string_param: '{"instance_group":[{"count":100000}]}' } };
    const load = served.ask('RepositoryModelLoad', { model_name: 'echo', parameters });
    await expect(load).rejects.toMatchObject({ message: expect.stringMatching(/not supported/) as string });
  }
  expect(await served.answers('1')).toBe('1');
});

test('what no backend takes is reported, and the poll takes it up when it is mended', async () => {
  await served.start({ ROUNDHOUSE_MODELS_POLL_MS: '20' });
  served.repository.write('other', echoConfig(broken));
  const reason = async () =>
    (await served.client.repositoryIndex()).find(({ name }) => name === 'other')?.reason;
  expect(await until(reason, (text) => (text ?? '') !== '')).toMatch(/told to fail at load/);
  served.repository.write('other', echoConfig());
  await until(
    () => served.states(),
    (rows) => rows['other 1'] === 'READY',
  );
  served.put('2');
  await until(
    () => served.states(),
    (rows) => rows['echo 2'] === 'READY',
  );
  rmSync(join(served.repository.folder, 'other'), { recursive: true });
  await until(
    () => served.states(),
    (rows) => rows['other 1'] !== 'READY',
  );
  expect(await served.answers('1')).toBe('1');
});

const hostile = [
  '..',
  '../echo',
  'echo/../echo',
  '/etc',
  './echo',
  'echo/',
  'echo\0',
  'ｅcho',
  'e\u0301cho',
  '\u2024\u2024/echo',
  '%2e%2e',
  '',
  'a'.repeat(5_000),
];
test('what can not be read leaves the rest serving, also at a start', async () => {
  served.put('2');
  // Root may read every file; a folder in a file's place nobody can.
  symlinkSync(
    join(served.repository.folder, 'echo', '1'),
    join(served.repository.folder, 'echo', '2', 'link'),
  );
  served.repository.write('bare', '');
  rmSync(join(served.repository.folder, 'bare', 'config.pbtxt'));
  served.repository.write('odd', '');
  rmSync(join(served.repository.folder, 'odd', 'config.pbtxt'));
  mkdirSync(join(served.repository.folder, 'odd', 'config.pbtxt'));
  await served.start({ ROUNDHOUSE_ENGINE_MODELS: 'echo,bare,odd,absent' });
  expect([await served.answers('1'), await served.answers('2')]).toEqual(['1', 'MODEL_UNAVAILABLE']);
  expect(await served.client.isReady()).toBe(false);
  const reasons = (await served.client.repositoryIndex()).map(({ name, reason }) => `${name}: ${reason}`);
  expect(reasons).toContainEqual(expect.stringMatching(/^echo: .*echo.2.link is no regular file/));
  expect(reasons).toContainEqual(expect.stringMatching(/^bare: .*bare.config.pbtxt: can't be read: ENOENT/));
  expect(reasons).toContainEqual(
    expect.stringMatching(/^odd: .*odd.config.pbtxt: can't be read: .*is no regular file/),
  );
  await expect(served.client.loadModel('bare')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
});

test('pipes, which would hold whoever reads them, leave the rest serving, also at a start', async () => {
  const pipe = (...path: string[]) => execFileSync('mkfifo', [join(served.repository.folder, ...path)]);
  served.put('2');
  pipe('echo', '2', 'pipe');
  served.repository.write('odd', '');
  rmSync(join(served.repository.folder, 'odd', 'config.pbtxt'));
  pipe('odd', 'config.pbtxt');
  await served.start({ ROUNDHOUSE_ENGINE_MODELS: 'echo,odd' });
  expect([await served.answers('1'), await served.answers('2')]).toEqual(['1', 'MODEL_UNAVAILABLE']);
  await expect(served.client.loadModel('echo')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  await expect(served.client.loadModel('odd')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  rmSync(join(served.repository.folder, 'echo', '2', 'pipe'));
  await served.client.loadModel('echo');
  // Into one that serves: the load is refused, both serve on.
  pipe('echo', '1', 'pipe');
  await expect(served.client.loadModel('echo')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect([await served.answers('1'), await served.answers('2')]).toEqual(['1', '2']);
});

test('no call takes a name that is none', async () => {
  await served.start();
  for (const name of hostile) await refusesName(name);
  expect(await served.answers('1')).toBe('1');
});

async function refusesName(name: string): Promise<void> {
  await expect(served.client.loadModel(name)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  await expect(served.client.unloadModel(name)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(await served.client.isModelReady(name)).toBe(false);
  const request = { model: name, version: '', requestId: '', inputs: echoInputs([1]) };
  await expect(served.client.infer(request, (Date.now() + 5_000) as UnixMs)).rejects.toMatchObject({
    // PAYLOAD_INVALID for an empty name.
    code: expect.stringMatching(/MODEL_UNAVAILABLE|PAYLOAD_INVALID/) as string,
  });
}

test('no request takes a version that is none', async () => {
  await served.start();
  for (const version of ['1/../2', '../1', '0', '01', '-1', '1.0', '1\0', '１', '1e0', '9'.repeat(30)]) {
    expect([version, await served.answers(version)]).toEqual([version, 'PAYLOAD_INVALID']);
  }
  expect(await served.answers('1')).toBe('1');
});

test('links that lead out of the repository are not followed', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'roundhouse-outside-'));
  cpSync(join(served.repository.folder, 'echo'), join(outside, 'echo'), { recursive: true });
  symlinkSync(join(outside, 'echo'), join(served.repository.folder, 'linked'));
  symlinkSync(join(outside, 'echo', '1'), join(served.repository.folder, 'echo', '2'));
  served.put('3');
  symlinkSync('/etc/passwd', join(served.repository.folder, 'echo', '3', 'more.txt'));
  await served.start();
  await expect(served.client.loadModel('linked')).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(await served.states()).toEqual({
    'echo 1': 'READY',
    'echo 2': 'UNAVAILABLE',
    'echo 3': 'UNAVAILABLE',
  });
  expect((await served.client.repositoryIndex()).map(({ reason }) => reason).join()).toMatch(
    /leads out of the repository/,
  );
  rmSync(outside, { recursive: true });
});
