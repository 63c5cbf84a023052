import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { connectEngine } from '#lib/engine-client/grpc';
import { loadProtocol } from '#lib/engine-client/protocol';
import type { EngineClient } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, echoInputs, makeRepository, type TestRepository } from './engine-repository';

jest.setTimeout(60_000);

const all = 'version_policy: { all: { } }';
/** The test backend refuses a model whose configuration has this; so only a version's own files may not. */
const broken = 'parameters [ { key: "fail_at_load" value: { string_value: "x" } } ]';

let repository: TestRepository;
let engine: RunningEngine;
let client: EngineClient;

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  engine = await startEngineProcess(repository.folder, env);
  client = connectEngine({ address: engine.address });
}
beforeEach(() => {
  repository = makeRepository({ echo: echoConfig(all) });
});
afterEach(async () => {
  await client.close();
  await engine.stop();
  repository.remove();
});

function put(version: string): void {
  const folder = join(repository.folder, 'echo');
  mkdirSync(join(folder, `.${version}`));
  writeFileSync(join(folder, `.${version}`, 'model.txt'), version);
  renameSync(join(folder, `.${version}`), join(folder, version));
}

async function answers(version: string): Promise<string> {
  const request = { model: 'echo', version, requestId: '', inputs: echoInputs([1, 2]) };
  const deadline = (Date.now() + 10_000) as UnixMs;
  return client.infer(request, deadline).then(
    (response) => response.version,
    (error: { code: string }) => error.code,
  );
}

async function states(): Promise<Record<string, string>> {
  const rows = await client.repositoryIndex();
  return Object.fromEntries(rows.map(({ name, version, state }) => [`${name} ${version}`, state]));
}

/** Until it says what is waited for; the poll and the core take their time. */
async function until<T>(ask: () => Promise<T>, good: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (good(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('old and new versions serve side by side, and one whose folder is gone is refused', async () => {
  await start();
  put('2');
  expect(await answers('2')).toBe('MODEL_UNAVAILABLE');
  await client.loadModel('echo');
  expect([await answers('1'), await answers('2'), await answers('')]).toEqual(['1', '2', '2']);
  rmSync(join(repository.folder, 'echo', '1'), { recursive: true });
  expect(await answers('1')).toBe('1');
  await client.loadModel('echo');
  expect([await answers('1'), await answers('2')]).toEqual(['MODEL_UNAVAILABLE', '2']);
  expect(await until(states, (rows) => !('echo 1' in rows))).toEqual({ 'echo 2': 'READY' });
});

/** Inferences by version that the core has counted. */
async function counted(): Promise<Record<string, unknown>> {
  const answer = await ask('ModelStatistics', { name: 'echo' });
  const rows = answer['model_stats'] as { version: string; inference_count: unknown }[];
  return Object.fromEntries(rows.map((row) => [row.version, Number(row.inference_count)]));
}

function ask(method: string, message: object): Promise<Record<string, unknown>> {
  const { path, requestSerialize, responseDeserialize } = loadProtocol().inference[method]!;
  const raw = new Client(engine.address, credentials.createInsecure());
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    raw.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, (error, answer) =>
      error === null ? resolve(answer as Record<string, unknown>) : reject(error),
    );
  }).finally(() => raw.close());
}

test('a reload makes every version anew though nothing changed, a load does not', async () => {
  put('2');
  await start();
  // The core counts by loaded version: what was counted goes with it.
  expect([await answers('1'), await answers('2'), await counted()]).toEqual(['1', '2', { 1: 1, 2: 1 }]);
  await client.loadModel('echo');
  expect(await counted()).toEqual({ 1: 1, 2: 1 });
  for (const time of ['first', 'second']) {
    await ask('RepositoryModelLoad', { model_name: 'echo', parameters: { reload: { bool_param: true } } });
    expect([time, await counted()]).toEqual([time, { 1: 0, 2: 0 }]);
    expect([await answers('1'), await answers('2'), await counted()]).toEqual(['1', '2', { 1: 1, 2: 1 }]);
  }
});

test('a version that is retired answers what it was asked before', async () => {
  await start();
  put('2');
  await client.loadModel('echo');
  const inputs = echoInputs([5], 1, 400);
  const deadline = (Date.now() + 10_000) as UnixMs;
  const running = client.infer({ model: 'echo', version: '1', requestId: '', inputs }, deadline);
  // Its row in the index says when the core has it: a request of the same connection comes behind it.
  await answers('2');
  rmSync(join(repository.folder, 'echo', '1'), { recursive: true });
  await client.loadModel('echo');
  expect(await answers('1')).toBe('MODEL_UNAVAILABLE');
  expect((await running).version).toBe('1');
});

test('files of a version that serves may not change; what is loaded goes on', async () => {
  await start();
  writeFileSync(join(repository.folder, 'echo', '1', 'model.txt'), 'other');
  put('2');
  await expect(client.loadModel('echo')).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    message: expect.stringMatching(/echo\/1: .*changed after it was loaded.*version 1 serves on/) as string,
  });
  expect(await answers('1')).toBe('1');
  writeFileSync(join(repository.folder, 'echo', '1', 'model.txt'), 'echo');
  await client.loadModel('echo');
  expect(await states()).toEqual({ 'echo 1': 'READY', 'echo 2': 'READY' });
});

test('a broken configuration leaves the old one serving and says why, until it is right again', async () => {
  await start();
  const config = join(repository.folder, 'echo', 'config.pbtxt');
  writeFileSync(config, 'backend: "echo"\nmax_batch_size: many\n');
  await expect(client.loadModel('echo')).rejects.toThrow(/config\.pbtxt:2:17: Expected integer/);
  expect(await answers('1')).toBe('1');
  expect(await client.isReady()).toBe(true);
  expect((await client.repositoryIndex()).find(({ reason }) => reason !== '')).toMatchObject({
    name: 'echo',
    state: 'UNAVAILABLE',
    reason: expect.stringMatching(/config\.pbtxt:2:17/) as string,
  });
  writeFileSync(config, echoConfig(all));
  await client.loadModel('echo');
  expect(await states()).toEqual({ 'echo 1': 'READY' });
});

test.each([
  ['the backend refuses', echoConfig(`${all}\n${broken}`), /echo\/1: dry run: told to fail at load/],
  [
    'names a backend that is not there',
    echoConfig(all).replace('"echo"', '"nope"'),
    /unable to find backend/,
  ],
])('a configuration that %s leaves the old one serving, also with a new version', async (_, text, why) => {
  await start();
  repository.write('echo', text);
  put('2');
  for (const load of ['first', 'again']) {
    const loading = client.loadModel('echo');
    await expect(loading).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    await expect(loading).rejects.toThrow(why);
    await expect(loading).rejects.toThrow(/version 1 serves on/);
    expect([load, await answers('1'), await client.isReady()]).toEqual([load, '1', true]);
  }
  repository.write('echo', echoConfig(all));
  await client.loadModel('echo');
  expect([await answers('1'), await answers('2')]).toEqual(['1', '2']);
});

test.each([
  ['a backend that is not there', echoConfig(all).replace('"echo"', '"nope"')],
  ['what the backend refuses', echoConfig(`${all}\n${broken}`)],
])('an engine whose last load failed for %s stops in order', async (_, text) => {
  await start();
  repository.write('echo', text);
  await expect(client.loadModel('echo')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect(await engine.stop()).toBe(0);
  // The core's own stop would run into its time-out, and fail.
  expect(engine.log.map(({ event }) => event)).not.toContain('CloseFailed');
});

const many = echoConfig(all).replace('count: 2', 'count: 100000');
/** 100,000 threads would keep an engine busy for minutes. */
const tooMany =
  /echo.config\.pbtxt:11:42: instance_group\.count, all groups together, is 100000, the limit is 256/;

test('a configuration beyond the limits is refused at a load and by the poll; what serves goes on', async () => {
  await start({ ROUNDHOUSE_MODELS_POLL_MS: '20' });
  repository.write('echo', many);
  const reasons = async () => (await client.repositoryIndex()).map(({ reason }) => reason).join('\n');
  expect(await until(reasons, (text) => text !== '')).toMatch(tooMany);
  await expect(client.loadModel('echo')).rejects.toThrow(tooMany);
  expect([await answers('1'), await client.isReady()]).toEqual(['1', true]);
  repository.write('echo', echoConfig(all));
  await until(reasons, (text) => text === '');
});

test('an engine that starts with a configuration beyond the limits serves the rest', async () => {
  repository.write('other', echoConfig(all));
  repository.write('echo', many);
  await start();
  expect(await states()).toMatchObject({ 'other 1': 'READY' });
  expect((await client.repositoryIndex()).map(({ reason }) => reason).join()).toMatch(tooMany);
  expect(await client.isReady()).toBe(false);
});

/** Everything that a load has as parameters would get past the file. */
test('a load takes no configuration beside that of the repository', async () => {
  await start();
  for (const name of ['config', 'file:1/model.txt']) {
    const parameters = { [name]: { string_param: '{"instance_group":[{"count":100000}]}' } };
    const load = ask('RepositoryModelLoad', { model_name: 'echo', parameters });
    await expect(load).rejects.toMatchObject({ message: expect.stringMatching(/not supported/) as string });
  }
  expect(await answers('1')).toBe('1');
});

test('what no backend takes is reported, and the poll takes it up when it is mended', async () => {
  await start({ ROUNDHOUSE_MODELS_POLL_MS: '20' });
  repository.write('other', echoConfig(broken));
  const reason = async () => (await client.repositoryIndex()).find(({ name }) => name === 'other')?.reason;
  expect(await until(reason, (text) => (text ?? '') !== '')).toMatch(/told to fail at load/);
  repository.write('other', echoConfig());
  await until(states, (rows) => rows['other 1'] === 'READY');
  put('2');
  await until(states, (rows) => rows['echo 2'] === 'READY');
  rmSync(join(repository.folder, 'other'), { recursive: true });
  await until(states, (rows) => rows['other 1'] !== 'READY');
  expect(await answers('1')).toBe('1');
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
  put('2');
  // Root may read every file; a folder in a file's place nobody can.
  symlinkSync(join(repository.folder, 'echo', '1'), join(repository.folder, 'echo', '2', 'link'));
  repository.write('bare', '');
  rmSync(join(repository.folder, 'bare', 'config.pbtxt'));
  repository.write('odd', '');
  rmSync(join(repository.folder, 'odd', 'config.pbtxt'));
  mkdirSync(join(repository.folder, 'odd', 'config.pbtxt'));
  await start({ ROUNDHOUSE_ENGINE_MODELS: 'echo,bare,odd,absent' });
  expect([await answers('1'), await answers('2')]).toEqual(['1', 'MODEL_UNAVAILABLE']);
  expect(await client.isReady()).toBe(false);
  const reasons = (await client.repositoryIndex()).map(({ name, reason }) => `${name}: ${reason}`);
  expect(reasons).toContainEqual(expect.stringMatching(/^echo: .*echo.2.link is no regular file/));
  expect(reasons).toContainEqual(expect.stringMatching(/^bare: .*bare.config.pbtxt: can't be read: ENOENT/));
  expect(reasons).toContainEqual(
    expect.stringMatching(/^odd: .*odd.config.pbtxt: can't be read: .*is no regular file/),
  );
  await expect(client.loadModel('bare')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
});

test('pipes, which would hold whoever reads them, leave the rest serving, also at a start', async () => {
  const pipe = (...path: string[]) => execFileSync('mkfifo', [join(repository.folder, ...path)]);
  put('2');
  pipe('echo', '2', 'pipe');
  repository.write('odd', '');
  rmSync(join(repository.folder, 'odd', 'config.pbtxt'));
  pipe('odd', 'config.pbtxt');
  await start({ ROUNDHOUSE_ENGINE_MODELS: 'echo,odd' });
  expect([await answers('1'), await answers('2')]).toEqual(['1', 'MODEL_UNAVAILABLE']);
  await expect(client.loadModel('echo')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  await expect(client.loadModel('odd')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  rmSync(join(repository.folder, 'echo', '2', 'pipe'));
  await client.loadModel('echo');
  // Into one that serves: the load is refused, both serve on.
  pipe('echo', '1', 'pipe');
  await expect(client.loadModel('echo')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect([await answers('1'), await answers('2')]).toEqual(['1', '2']);
});

test('no call takes a name that is none', async () => {
  await start();
  for (const name of hostile) await refusesName(name);
  expect(await answers('1')).toBe('1');
});

async function refusesName(name: string): Promise<void> {
  await expect(client.loadModel(name)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  await expect(client.unloadModel(name)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(await client.isModelReady(name)).toBe(false);
  const request = { model: name, version: '', requestId: '', inputs: echoInputs([1]) };
  await expect(client.infer(request, (Date.now() + 5_000) as UnixMs)).rejects.toMatchObject({
    // PAYLOAD_INVALID for an empty name.
    code: expect.stringMatching(/MODEL_UNAVAILABLE|PAYLOAD_INVALID/) as string,
  });
}

test('no request takes a version that is none', async () => {
  await start();
  for (const version of ['1/../2', '../1', '0', '01', '-1', '1.0', '1\0', '１', '1e0', '9'.repeat(30)]) {
    expect([version, await answers(version)]).toEqual([version, 'PAYLOAD_INVALID']);
  }
  expect(await answers('1')).toBe('1');
});

test('links that lead out of the repository are not followed', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'roundhouse-outside-'));
  cpSync(join(repository.folder, 'echo'), join(outside, 'echo'), { recursive: true });
  symlinkSync(join(outside, 'echo'), join(repository.folder, 'linked'));
  symlinkSync(join(outside, 'echo', '1'), join(repository.folder, 'echo', '2'));
  put('3');
  symlinkSync('/etc/passwd', join(repository.folder, 'echo', '3', 'more.txt'));
  await start();
  await expect(client.loadModel('linked')).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  expect(await states()).toEqual({ 'echo 1': 'READY', 'echo 2': 'UNAVAILABLE', 'echo 3': 'UNAVAILABLE' });
  expect((await client.repositoryIndex()).map(({ reason }) => reason).join()).toMatch(
    /leads out of the repository/,
  );
  rmSync(outside, { recursive: true });
});
