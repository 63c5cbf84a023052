import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadSync, type EnumTypeDefinition, type MessageTypeDefinition } from '@grpc/proto-loader';
import { serveKserveHttp, type KserveHttp } from '#services/inference-worker/protocol/http/serve-kserve-http';
import {
  serveInferenceProtocol,
  type InferenceProtocol,
} from '#services/inference-worker/protocol/serve-inference-protocol';
import { projectPath } from '#schemas/project-root';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { faultEnv } from './fault-models';
import { python, whyNoPython } from './python-environment';
import { echoConfig, makeRepository, type TestRepository } from './engine-repository';
import { openToAll } from '../support/open-to-all';

jest.setTimeout(60_000);

const scripts = projectPath('test/python');

const missing = whyNoPython();
const whenPython = missing === null ? describe : describe.skip;

async function runScript(script: string, ...parameters: string[]): Promise<Record<string, unknown>> {
  // No __pycache__ beside the scripts.
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { maxBuffer: 1e7, timeout: 50_000, env };
  const { stdout } = await promisify(execFile)(python, [join(scripts, script), ...parameters], options);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const runPython = (...parameters: string[]) => runScript('engine_client.py', ...parameters);

if (missing !== null) {
  test.skip(`Python's tritonclient cannot be installed: ${missing}`, () => undefined);
}

whenPython("Python's tritonclient", () => {
  let repository: TestRepository;
  let engine: RunningEngine;
  let tcp: InferenceProtocol;
  let http: KserveHttp;

  beforeAll(async () => {
    repository = makeRepository({ echo: echoConfig() });
    cpSync(projectPath('test/fixtures/fault-injection'), repository.folder, { recursive: true });
    engine = await startEngineProcess(repository.folder, faultEnv);
    const engineAddress = () => engine.address;
    tcp = await serveInferenceProtocol({ ...openToAll, bind: '127.0.0.1', port: 0, engineAddress });
    const whyDown = () => null;
    const maxBodyBytes = 33_554_432;
    http = await serveKserveHttp({
      ...openToAll,
      bind: '127.0.0.1',
      port: 0,
      engineAddress,
      whyDown,
      maxBodyBytes,
    });
  });
  afterAll(async () => {
    await tcp.close();
    await http.close();
    await engine.stop();
    repository.remove();
  });

  test('health, metadata, infer, load and unload over TCP', async () => {
    expect(await runPython(`127.0.0.1:${tcp.port}`, 'echo')).toEqual({
      live: true,
      ready: true,
      modelReady: true,
      server: 'roundhouse',
      inputs: ['data', 'control'],
      backend: 'echo',
      index: ['echo', 'fault_injection'],
      // 1 + 2 + 39 = 42
      sum: 42,
      data: [[1, 2, 39]],
      id: 'python',
      statistics: 1,
      priority: 7,
      timeout: 'StatusCode.DEADLINE_EXCEEDED',
      unloaded: true,
      afterUnload: 'StatusCode.NOT_FOUND',
      loadedAgain: true,
      unknownModel: 'StatusCode.NOT_FOUND',
      badShape: 'StatusCode.INVALID_ARGUMENT',
    });
  });

  test('inputs and outputs in its own shared memory, through the worker', async () => {
    expect(await runPython(`127.0.0.1:${tcp.port}`, 'echo', '--shared-memory')).toEqual({
      status: { region: 64 },
      // 1 + 2 + 39 = 42
      sum: 42,
      echoed: [[1, 2, 39]],
      outside: 'StatusCode.INVALID_ARGUMENT',
      unknown: 'StatusCode.NOT_FOUND',
      twice: 'StatusCode.INVALID_ARGUMENT',
      tooLong: 'StatusCode.INVALID_ARGUMENT',
      overflow: 'StatusCode.INVALID_ARGUMENT',
      left: 0,
    });
  });

  test('a region in use is not let go, and no answer names it', async () => {
    expect(await runPython(engine.address, 'echo', '--region-in-use')).toEqual({
      running: true,
      unregister: 'StatusCode.RESOURCE_EXHAUSTED',
      unregisterAll: 'StatusCode.RESOURCE_EXHAUSTED',
      again: 'StatusCode.INVALID_ARGUMENT',
      outside: 'StatusCode.INVALID_ARGUMENT',
      left: 0,
      unknown: 'StatusCode.NOT_FOUND',
      named: [],
    });
  });

  test('the HTTP client, as it comes: tensors as bytes, as JSON, packed and in shared memory', async () => {
    expect(await runScript('http_client.py', `127.0.0.1:${http.port}`)).toEqual({
      live: true,
      ready: true,
      modelReady: true,
      nobodyReady: false,
      server: 'roundhouse',
      inputs: ['data', 'control'],
      maxBatch: 8,
      index: ['echo', 'fault_injection'],
      // 1 + 2 + 39 = 42, five times over and over those of the tests before
      binary: 42,
      json: 42,
      mixed: 42,
      gzip: 42,
      deflate: 42,
      statistics: expect.any(Number),
      unloaded: true,
      afterUnload: '404',
      loadedAgain: true,
      unknownModel: '404',
      badShape: '400',
      sharedMemory: { status: [64], sum: 42, echoed: [[1, 2, 39]], unknown: '404', left: 0 },
      failed: '500',
    });
  });

  test('our protocol has its field numbers', async () => {
    const theirs = (await runPython('--descriptors')) as Record<string, Record<string, number>>;
    const ours = loadSync(projectPath('schemas/proto/kserve.proto'), { keepCase: true });
    let compared = 0;
    for (const [name, definition] of Object.entries(ours)) {
      const { format, type } = definition as MessageTypeDefinition<object, object> | EnumTypeDefinition;
      if (!/DescriptorProto$/.test(format ?? '') || name.includes('.Kind') || !(name in theirs)) continue;
      const parts = ('field' in type ? type.field : 'value' in type ? type.value : []) as {
        name: string;
        number: number;
      }[];
      for (const part of parts) {
        expect({ [`${name}.${part.name}`]: theirs[name]![part.name] }).toEqual({
          [`${name}.${part.name}`]: part.number,
        });
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(150);
  });
});
