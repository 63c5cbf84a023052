import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { startEngineProcess, type RunningEngine } from './engine-process';

jest.setTimeout(120_000);

let folder: string;
let engine: RunningEngine;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line of users, against the test's engine. */
function models(...args: string[]): Promise<Ended> {
  const main = projectPath('dist', 'launcher', 'models', 'main.js');
  const env = { PATH: process.env['PATH'], ROUNDHOUSE_MODELS_DIR: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args, '--url', engine.address], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const labels = (): unknown => JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8'));

function put(version: string, files: (into: string) => void = () => undefined): void {
  const into = join(folder, 'candidate_cost', version);
  cpSync(projectPath('models', 'candidate_cost', '1'), into, { recursive: true });
  files(into);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
  for (const name of ['candidate_cost', 'delivery_time']) {
    cpSync(projectPath('models', name), join(folder, name), { recursive: true });
  }
  const one = { candidate_cost: '1', delivery_time: '1' };
  writeFileSync(join(folder, 'labels.json'), JSON.stringify({ stable: one, canary: one, canaryShare: 0 }));
  engine = await startEngineProcess(folder);
});
afterEach(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true });
});

test('a new version is loaded, gets a share of the rounds, becomes stable; the old one is retired', async () => {
  put('2');
  expect(await models('label', 'canary', 'candidate_cost=2')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/nothing was changed:\n.*candidate_cost 2 at .*not loaded/) as string,
  });
  expect((await models('load', 'candidate_cost')).code).toBe(0);
  const labelled = await models('label', 'canary', 'candidate_cost=2', '--share', '12.5%');
  expect(labelled.stdout).toBe('canary: candidate_cost 1 -> 2\ncanaryShare: 0% -> 12.5%\n');
  expect(labels()).toEqual({
    stable: { candidate_cost: '1', delivery_time: '1' },
    canary: { candidate_cost: '2', delivery_time: '1' },
    canaryShare: 0.125,
  });
  const listed = JSON.parse((await models('list', '--json')).stdout) as { versions: object[] };
  expect(listed.versions).toMatchObject([
    { model: 'candidate_cost', version: '1', state: 'READY', labels: ['stable'] },
    { model: 'candidate_cost', version: '2', state: 'READY', labels: ['canary'] },
    { model: 'delivery_time', version: '1', state: 'READY', labels: ['stable', 'canary'] },
  ]);
  expect((await models('verify')).code).toBe(0);

  expect((await models('retire', 'candidate_cost=1')).stdout).toMatch(/refused: candidate_cost 1 is stable/);
  await models('label', 'stable', 'candidate_cost=2');
  expect((await models('retire', 'candidate_cost=1')).stdout).toMatch(
    /rounds may name candidate_cost 1 until/,
  );
  // The labels changed two hours ago; the longest deadline is one ahead.
  const before = Date.now() / 1_000 - 7_200;
  utimesSync(join(folder, 'labels.json'), before, before);
  expect((await models('retire', 'candidate_cost=1')).code).toBe(0);
  expect(existsSync(join(folder, 'candidate_cost', 'retired', '1', 'network.json'))).toBe(true);
  expect((await models('list')).stdout).not.toMatch(/candidate_cost +1 +READY/);
  // Nothing half-written is left beside the labels.
  expect(readdirSync(folder).sort()).toEqual(['candidate_cost', 'delivery_time', 'labels.json']);
});

test('a broken version is named with file and line by load, list and verify, and gets no label', async () => {
  put('2', (into) => writeFileSync(join(into, 'network.json'), '{\n  "network": 3\n'));
  const place = /candidate_cost\/2\/network\.json:\d+:\d+: /;
  expect(await models('load', 'candidate_cost')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(place) as string,
  });
  expect(await models('list')).toMatchObject({ code: 1, stdout: expect.stringMatching(place) as string });
  const verified = await models('verify', 'candidate_cost');
  expect(verified).toMatchObject({ code: 1, stdout: expect.stringMatching(place) as string });
  expect(verified.stdout).toMatch(/^good {3}candidate_cost 1$/m);
  expect((await models('label', 'stable', 'candidate_cost=2')).code).toBe(1);
  // Nobody asks an engine, so only the folder counts.
  expect((await models('verify', 'candidate_cost=2', '--offline')).stdout).toMatch(place);

  // The core remembers why it failed, also when it is no more.
  rmSync(join(folder, 'candidate_cost', '2'), { recursive: true });
  expect(await models('load', 'candidate_cost')).toMatchObject({ code: 0 });
  const listed = await models('list');
  expect(listed.code).toBe(0);
  expect(listed.stdout).not.toMatch(/candidate_cost +2/);
});

test('content that differs from what is served, and a network that the label does not name, are faults', async () => {
  put('2');
  await models('load', 'candidate_cost');
  writeFileSync(join(folder, 'candidate_cost', '2', 'more.txt'), 'more');
  expect((await models('verify', 'candidate_cost=2')).stdout).toMatch(
    /serves content \w{12}, the folder has \w{12}/,
  );
  expect((await models('label', 'canary', 'candidate_cost=2')).code).toBe(1);

  mkdirSync(join(folder, 'delivery_time', '2'));
  const pin = JSON.parse(readFileSync(join(folder, 'candidate_cost', '1', 'network.json'), 'utf8')) as object;
  cpSync(join(folder, 'delivery_time', '1'), join(folder, 'delivery_time', '2'), { recursive: true });
  put('3', (into) => {
    writeFileSync(
      join(into, 'network.json'),
      JSON.stringify({ ...pin, network: 'delivery_time/2/model.onnx' }),
    );
  });
  rmSync(join(folder, 'candidate_cost', '2', 'more.txt'));
  await models('load', 'candidate_cost', 'delivery_time');
  const refused = await models('label', 'canary', 'candidate_cost=3');
  expect(refused.stdout).toMatch(
    /candidate_cost 3 works with delivery_time 2, the label names 1: add delivery_time=2/,
  );
  expect((await models('label', 'canary', 'candidate_cost=3', 'delivery_time=2')).code).toBe(0);
});

test('reload and unload, and an engine that is not there', async () => {
  expect((await models('reload', 'candidate_cost')).code).toBe(0);
  expect(engine.log.filter(({ event }) => event === 'ModelLoaded')).toHaveLength(3);
  expect((await models('unload', 'delivery_time')).code).toBe(0);
  expect(await models('load', 'nothing')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/no model "nothing"/) as string,
  });
  expect(await models('list', '--url', '127.0.0.1:1')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/127\.0\.0\.1:1/) as string,
  });
});
