import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveKserveHttp, type KserveHttp } from '#services/inference-worker/protocol/http/serve-kserve-http';
import { projectPath } from '#schemas/project-root';
import { until } from '../support/until';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, makeRepository, type TestRepository } from './engine-repository';
import { python, whyNoPython } from './python-environment';
import { stopProcess } from '../support/stop-process';
import { openToAll } from '../support/open-to-all';

jest.setTimeout(60_000);

const missing = whyNoPython();
const whenPython = missing === null ? describe : describe.skip;
if (missing !== null) test.skip(`no Python with numpy: ${missing}`, () => undefined);

const regionsOf = (pid: number): string[] =>
  readdirSync('/dev/shm').filter((name) => new RegExp(`^roundhouse-python-\\d+-${pid}-`).test(name));

/** Processes that were started with a region of this engine. */
function stubsOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return new RegExp(`roundhouse-python-\\d+-${pid}-`).test(commandLine);
      } catch {
        return false;
      }
    })
    .map(Number);
}

let engine: RunningEngine;
let http: KserveHttp;
let repository: TestRepository;

const serve = (): Promise<KserveHttp> =>
  serveKserveHttp({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    engineAddress: () => engine.address,
    whyDown: () => null,
    maxBodyBytes: 1_000_000,
  });

async function ask(path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${http.port}${path}`, init);
  const text = await response.text();
  return { status: response.status, json: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

const vector = (name: string, data: number[]) => ({ name, datatype: 'FP32', shape: [1, data.length], data });

whenPython('the example repository: two Python models and an ensemble of them', () => {
  beforeAll(async () => {
    repository = makeRepository({});
    cpSync(projectPath('examples/kserve/models'), repository.folder, { recursive: true });
    engine = await startEngineProcess(repository.folder, { ROUNDHOUSE_PYTHON: python });
    http = await serve();
  });
  afterAll(async () => {
    await http.close();
    expect(await engine.stop()).toBe(0);
    await until(() => stubsOf(engine.child.pid!).length === 0, 'the stubs are gone', 30_000);
    expect(regionsOf(engine.child.pid!)).toEqual([]);
    repository.remove();
  });

  test('each answers, and the core hands the tensors on', async () => {
    const inputs = [vector('a', [1, 2]), vector('b', [3, 4])];
    const sum = await ask('/v2/models/add/infer', { inputs });
    expect(sum.json['outputs']).toMatchObject([{ name: 'sum', shape: [1, 2], data: [4, 6] }]);
    // (1 + 3) · 10 and (2 + 4) · 10
    const result = await ask('/v2/models/add_then_scale/infer', { inputs });
    expect(result.json['outputs']).toMatchObject([{ name: 'result', data: [40, 60] }]);
  });

  test('a model that refuses says why, also through the ensemble', async () => {
    const inputs = [vector('a', [1, 2]), vector('b', [3])];
    for (const model of ['add', 'add_then_scale']) {
      const { status, json } = await ask(`/v2/models/${model}/infer`, { inputs });
      expect(status).toBe(500);
      expect(json['error']).toMatch(/a has the shape \[1, 2\], b has \[1, 1\]/);
    }
  });

  test('the configuration names the steps, and what a model prints is logged', async () => {
    const { json } = await ask('/v2/models/add_then_scale/config');
    const steps = (json['ensemble_scheduling'] as { step: { model_name: string }[] }).step;
    expect(steps.map(({ model_name: name }) => name)).toEqual(['add', 'scale']);
    await until(() => engine.log.some(({ event }) => event === 'PythonPrinted'), 'it is logged', 30_000);
    const printed = engine.log.find(({ event }) => event === 'PythonPrinted');
    expect(printed).toMatchObject({ text: 'scale: the factor is 10.0' });
    expect(engine.log.filter(({ event }) => event === 'ModelRejected')).toEqual([]);
  });

  test('the memory of a model is for its owner only', () => {
    const regions = regionsOf(engine.child.pid!);
    expect(regions.length).toBe(2);
    for (const name of regions) expect(statSync(join('/dev/shm', name)).mode & 0o777).toBe(0o600);
  });

  test('unloaded its process and memory are gone; loaded again it answers', async () => {
    const pid = engine.child.pid!;
    const before = stubsOf(pid).length;
    expect((await ask('/v2/repository/models/add_then_scale/unload', {})).status).toBe(200);
    expect((await ask('/v2/repository/models/add/unload', {})).status).toBe(200);
    const oneLess = () => stubsOf(pid).length === before - 1 && regionsOf(pid).length === before - 1;
    await until(oneLess, 'its process and memory are gone', 30_000);
    // The ensemble brings its steps.
    expect((await ask('/v2/repository/models/add_then_scale/load', {})).status).toBe(200);
    const result = await ask('/v2/models/add_then_scale/infer', {
      inputs: [vector('a', [1]), vector('b', [2])],
    });
    // (1 + 2) · 10
    expect(result.json['outputs']).toMatchObject([{ data: [30] }]);
  });

  test('a model whose process has ended is loaded anew, and answers whoever asks', async () => {
    const inputs = [vector('a', [1, 2]), vector('b', [3, 4])];
    const before = stubsOf(engine.child.pid!);
    for (const stub of before) process.kill(stub, 'SIGKILL');
    const statuses: number[] = [];
    const answers = async (): Promise<boolean> => {
      const { status, json } = await ask('/v2/models/add_then_scale/infer', { inputs });
      statuses.push(status);
      if (status !== 200) expect(json['error']).toMatch(/Stub process .*is not healthy/);
      // (1 + 3) · 10 and (2 + 4) · 10
      else expect(json['outputs']).toMatchObject([{ name: 'result', data: [40, 60] }]);
      return status === 200;
    };
    while (!(await answers()));
    expect(statuses[0]).toBe(500);
    const healed = engine.log.filter(({ event }) => event === 'ModelHealed');
    expect(new Set(healed.map(({ model, fault }) => `${String(model)} ${String(fault)}`))).toEqual(
      new Set(['add ', 'scale ']),
    );
    await until(() => stubsOf(engine.child.pid!).length === before.length, 'as many processes', 30_000);
    expect(stubsOf(engine.child.pid!).filter((stub) => before.includes(stub))).toEqual([]);
    await until(() => regionsOf(engine.child.pid!).length === before.length, 'no memory is left', 30_000);
  });

  test('a model with a fault is refused with its words', async () => {
    repository.write('wrong', readFileSync(join(repository.folder, 'add', 'config.pbtxt'), 'utf8'));
    writeFileSync(join(repository.folder, 'wrong', '1', 'model.py'), 'raise ValueError("no such thing")\n');
    const { status, json } = await ask('/v2/repository/models/wrong/load', {});
    expect(status).toBe(500);
    expect(json['error']).toMatch(/no such thing/);
    rmSync(join(repository.folder, 'wrong'), { recursive: true });
  });

  test('an engine that is killed leaves no process and no memory, even where its stubs stand still', async () => {
    const killed = await startEngineProcess(repository.folder, { ROUNDHOUSE_PYTHON: python });
    const pid = killed.child.pid!;
    const stubs = stubsOf(pid);
    expect(stubs).toHaveLength(2);
    // One can't tidy up itself.
    await stopProcess(stubs[0]!);
    killed.child.kill('SIGKILL');
    await new Promise((resolve) => killed.child.once('close', resolve));
    const next = await startEngineProcess(repository.folder, { ROUNDHOUSE_PYTHON: python });
    await until(() => stubsOf(pid).length === 0, 'the stubs are gone', 30_000);
    expect(regionsOf(pid)).toEqual([]);
    expect(stubsOf(next.child.pid!)).toHaveLength(2);
    expect(await next.stop()).toBe(0);
  });
});

describe('a machine whose Python does not do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-python-'));
  const program = join(folder, 'python');
  const facts = {
    version: '3.11',
    executable: '/usr/bin/python3.11',
    libraryFolder: '',
    library: '',
    numpy: '1',
  };

  function becomes(script: string): void {
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
  }
  const says = (answer: object): void => becomes(`echo '${JSON.stringify(answer)}'`);

  beforeAll(async () => {
    repository = makeRepository({ echo: echoConfig() });
    cpSync(projectPath('examples/kserve/models/add'), join(repository.folder, 'add'), { recursive: true });
    engine = await startEngineProcess(repository.folder, { ROUNDHOUSE_PYTHON: program });
    http = await serve();
  });
  afterAll(async () => {
    await http.close();
    await engine.stop();
    repository.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each<[string, () => void, RegExp]>([
    ['none at all', () => undefined, /no program ".*python": install Python 3, or name one/],
    ['a fault of its own', () => becomes('echo broken >&2; exit 3'), /ended with 3: broken/],
    [
      'a version without a stub',
      () => says({ ...facts, version: '3.7' }),
      /Python 3.7 \(\/usr\/bin\/python3.11\) has no stub; there are 3.8, 3.9, 3.10, 3.11, 3.12, 3.13/,
    ],
    ['no numpy', () => says({ ...facts, numpy: '' }), /lacks numpy, which the Python backend needs/],
    ['numpy 2', () => says({ ...facts, numpy: '2.4.6' }), /has numpy 2\.4\.6, .*pip install 'numpy<2'/],
    ['no numpy in a real one', () => becomes('exec python3 -I -S "$@"'), /lacks numpy|has no stub/],
  ])('%s: the model is refused with the reason, and the others serve', async (_name, change, message) => {
    change();
    const { status, json } = await ask('/v2/repository/models/add/load', {});
    expect({ status, json }).toMatchObject({ status: 500, json: { error: expect.stringMatching(message) } });
    expect((await ask('/v2/models/echo/ready')).status).toBe(200);
    expect((await ask('/v2/health/ready')).status).toBe(503);
  });

  const whenFits = missing === null ? test : test.skip;
  whenFits('one that is put right is found by the next load', async () => {
    becomes(`exec ${python} "$@"`);
    expect((await ask('/v2/repository/models/add/load', {})).status).toBe(200);
    const sum = await ask('/v2/models/add/infer', { inputs: [vector('a', [1]), vector('b', [2])] });
    expect(sum.json['outputs']).toMatchObject([{ name: 'sum', data: [3] }]);
  });
});
