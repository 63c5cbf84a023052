import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { loadProtocol } from '#lib/engine-client/protocol';
import {
  serveInferenceProtocol,
  type InferenceProtocol,
} from '#services/inference-worker/protocol/serve-inference-protocol';
import type { UnixMs } from '#schemas/brands';
import { refusesTheFifth } from './engine-admission';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, echoInputs, makeRepository, operations, type TestRepository } from './engine-repository';
import { openToAll } from '../support/open-to-all';

jest.setTimeout(60_000);

const maxMessageBytes = 1_000_000;
let repository: TestRepository;
let engine: RunningEngine;
let tcp: InferenceProtocol;
const clients: Record<string, EngineClient> = {};

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig() });
  engine = await startEngineProcess(repository.folder, {
    ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT: '4',
    ROUNDHOUSE_ENGINE_MAX_QUEUED: '0',
    ROUNDHOUSE_ENGINE_MAX_MESSAGE_BYTES: String(maxMessageBytes),
  });
  tcp = await serveInferenceProtocol({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    engineAddress: engine.address,
  });
  clients['unix'] = connectEngine({ address: engine.address });
  clients['tcp'] = connectEngine({ address: `127.0.0.1:${tcp.port}` });
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  await tcp.close();
  expect(await engine.stop()).toBe(0);
  repository.remove();
});

function inSeconds(seconds: number): UnixMs {
  return (Date.now() + seconds * 1_000) as UnixMs;
}
function request(inputs: ReturnType<typeof echoInputs>, model = 'echo', version = '') {
  return { model, version, requestId: 'r', inputs };
}

describe.each(['unix', 'tcp'])('over %s', (kind) => {
  let client: EngineClient;
  beforeAll(() => {
    client = clients[kind]!;
  });

  test('a folder without a configuration is no model', async () => {
    mkdirSync(join(repository.folder, 'training'), { recursive: true });
    expect((await client.repositoryIndex()).map(({ name }) => name)).not.toContain('training');
  });

  test('live, ready, model ready, index', async () => {
    expect(await client.isLive()).toBe(true);
    expect(await client.isReady()).toBe(true);
    expect(await client.isModelReady('echo')).toBe(true);
    expect(await client.isModelReady('echo', '1')).toBe(true);
    expect(await client.isModelReady('echo', '2')).toBe(false);
    expect(await client.repositoryIndex()).toEqual([
      { name: 'echo', version: '1', state: 'READY', reason: '' },
    ]);
  });

  test('infers with raw contents', async () => {
    const answer = await client.infer(request(echoInputs([1, 2, 39])), inSeconds(5));
    expect(answer).toMatchObject({ model: 'echo', version: '1' });
    const sum = answer.outputs.find(({ name }) => name === 'sum')!;
    // 1 + 2 + 39 = 42
    expect(Buffer.from(sum.data).readBigInt64LE()).toBe(42n);
    expect(answer.outputs.find(({ name }) => name === 'data')).toMatchObject({ shape: [1, 3] });
  });

  test.each([
    ['unknown model', request(echoInputs([1]), 'nobody'), 'MODEL_UNAVAILABLE', /nobody/],
    ['unknown version', request(echoInputs([1]), 'echo', '7'), 'MODEL_UNAVAILABLE', /7/],
    ['version that is no number', request(echoInputs([1]), 'echo', '-1'), 'PAYLOAD_INVALID', /model_version/],
    [
      'wrong size',
      request([{ ...echoInputs([1])[0]!, shape: [1, 2] }, echoInputs([1])[1]!]),
      'PAYLOAD_INVALID',
      /inputs\[0\] "data".data: 4 bytes/,
    ],
    [
      'wrong type',
      request([{ ...echoInputs([1])[0]!, datatype: 'FP32' as 'INT32' }, echoInputs([1])[1]!]),
      'PAYLOAD_INVALID',
      /data/,
    ],
    [
      'wrong shape',
      request([echoInputs([1])[0]!, { ...echoInputs([1])[0]!, name: 'control' }]),
      'PAYLOAD_INVALID',
      /control/,
    ],
    ['missing input', request(echoInputs([1]).slice(0, 1)), 'PAYLOAD_INVALID', /control/],
    ['failing backend', request(echoInputs([1], operations.fail)), 'MODEL_FAILED', /told to fail/],
  ])('%s is refused', async (_name, bad, code, message) => {
    await expect(client.infer(bad, inSeconds(5))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test('a deadline that passes while the model runs frees the engine', async () => {
    // Ten minutes of sleep: only the cancellation can end it.
    const slow = request(echoInputs([1], operations.sleep, 600_000));
    await expect(client.infer(slow, inSeconds(0.2))).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    const answer = await client.infer(request(echoInputs([5])), inSeconds(5));
    expect(answer.version).toBe('1');
  });

  test('a deadline in the past never reaches the engine', async () => {
    await expect(client.infer(request(echoInputs([1])), inSeconds(-1))).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
  });

  test('an aborted call frees the engine too', async () => {
    const abort = new AbortController();
    const slow = client.infer(
      request(echoInputs([1], operations.sleep, 600_000)),
      inSeconds(60),
      abort.signal,
    );
    setTimeout(() => abort.abort(), 50);
    await expect(slow).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
      message: expect.stringMatching(/gave the request up/),
    });
  });

  test('one request more than the bound is refused as busy', async () => {
    await refusesTheFifth(client, engine.address);
    expect((await client.infer(request(echoInputs([1])), inSeconds(60))).version).toBe('1');
  });

  test('a request above the engine’s limit is refused with the limit', async () => {
    const long = request(echoInputs(Array.from({ length: 300_000 }, () => 1)));
    await expect(client.infer(long, inSeconds(5))).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      message: expect.stringContaining(String(maxMessageBytes)),
    });
  });

  test('an answer above the limit is an error with the limit', async () => {
    const long = request(echoInputs([0], operations.fill, 300_000));
    await expect(client.infer(long, inSeconds(5))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining(String(maxMessageBytes)),
    });
  });

  test('unload and load', async () => {
    await client.unloadModel('echo');
    while (await client.isModelReady('echo')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await client.isReady()).toBe(false);
    await expect(client.infer(request(echoInputs([1])), inSeconds(5))).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    await client.loadModel('echo');
    expect(await client.isReady()).toBe(true);
  });

  test('a model that is not in the repository, or outside of it, is not loaded', async () => {
    await expect(client.loadModel('nobody')).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    await expect(client.loadModel('../etc')).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });
});

test('a client with a limit of its own names it and sends nothing', async () => {
  const small = connectEngine({ address: engine.address, maxMessageBytes: 1_000 });
  await expect(small.infer(request(echoInputs(Array(1_000).fill(1))), inSeconds(5))).rejects.toMatchObject({
    code: 'PAYLOAD_INVALID',
    message: expect.stringContaining('1000'),
  });
  await small.close();
});

test('an engine that is away is lost, not waited for', async () => {
  const away = connectEngine({ address: `unix:${engine.socket}.away` });
  await expect(away.infer(request(echoInputs([1])), inSeconds(5))).rejects.toMatchObject({
    code: 'ENGINE_LOST',
  });
  expect(await away.isLive()).toBe(false);
  await away.close();
});

test('only our own user may connect', () => {
  expect(statSync(engine.socket).mode & 0o777).toBe(0o600);
});

test('bytes that are no message are refused, not crashed on', async () => {
  const raw = new Client(engine.address, credentials.createInsecure());
  const send = (bytes: Buffer): Promise<ServiceError | null> =>
    new Promise((resolve) => {
      const same = (value: Buffer): Buffer => value;
      raw.makeUnaryRequest(
        '/inference.GRPCInferenceService/ModelInfer',
        same,
        same,
        bytes,
        new Metadata(),
        {},
        (error) => resolve(error),
      );
    });
  // Field 5 claims 2^42 bytes; field 1 is cut short; a varint without an end; wire type 7.
  for (const hex of ['2a8080808080808001', '0a05ab', '08ffffffffffffffffffffff', '0f']) {
    expect(await send(Buffer.from(hex, 'hex'))).toMatchObject({ code: status.INVALID_ARGUMENT });
  }
  raw.close();
});

test('typed contents and the other methods', async () => {
  const service = loadProtocol().inference;
  const raw = new Client(engine.address, credentials.createInsecure());
  const ask = (method: string, message: object): Promise<Record<string, unknown>> => {
    const { path, requestSerialize, responseDeserialize } = service[method]!;
    return new Promise((resolve, reject) =>
      raw.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        message,
        new Metadata(),
        {},
        (error, answer) => (error === null ? resolve(answer as Record<string, unknown>) : reject(error)),
      ),
    );
  };
  const inputs = [
    { name: 'data', datatype: 'INT32', shape: [1, 3], contents: { int_contents: [-1, 2, 41] } },
    { name: 'control', datatype: 'INT32', shape: [1, 2], contents: { int_contents: [0, 0] } },
  ];
  const answer = await ask('ModelInfer', {
    model_name: 'echo',
    id: 'a1',
    inputs,
    outputs: [{ name: 'sum' }],
  });
  // -1 + 2 + 41 = 42, and only the output that was asked for.
  expect(answer).toMatchObject({ id: 'a1', outputs: [{ name: 'sum', datatype: 'INT64', shape: [1, 1] }] });
  expect((answer['raw_output_contents'] as Buffer[])[0]!.readBigInt64LE()).toBe(42n);

  const mixed = { model_name: 'echo', inputs, raw_input_contents: [Buffer.alloc(12), Buffer.alloc(8)] };
  await expect(ask('ModelInfer', mixed)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  expect(await ask('ServerMetadata', {})).toMatchObject({ name: 'roundhouse', version: '2.51.0' });
  expect(await ask('ModelMetadata', { name: 'echo' })).toMatchObject({
    inputs: [
      { name: 'data', datatype: 'INT32', shape: [-1, -1] },
      { name: 'control', datatype: 'INT32', shape: [-1, 2] },
    ],
  });
  expect(await ask('ModelConfig', { name: 'echo' })).toMatchObject({
    config: { backend: 'echo', max_batch_size: 8, instance_group: [{ kind: 'KIND_CPU', count: 2 }] },
  });
  expect(await ask('ModelStatistics', { name: 'echo' })).toMatchObject({ model_stats: [{ name: 'echo' }] });
  await expect(ask('ModelMetadata', { name: 'nobody' })).rejects.toMatchObject({ code: status.NOT_FOUND });
  raw.close();
});

test('a second engine on the same socket refuses to start', async () => {
  const second = startEngineProcess(repository.folder, { ROUNDHOUSE_ENGINE_SOCKET: engine.socket });
  await expect(second).rejects.toMatchObject({ code: 1, message: expect.stringContaining('PORT_IN_USE') });
});
