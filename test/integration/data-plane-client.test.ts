import { rmSync } from 'node:fs';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { createTelemetry } from '#lib/telemetry';
import { connectOverShm } from '#services/inference-worker/data-plane/shm-engine-client';
import { workerEvents } from '#services/inference-worker/events';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { refusesTheFifth } from './engine-admission';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, echoInputs, makeRepository, operations, type TestRepository } from './engine-repository';

jest.setTimeout(60_000);

let repository: TestRepository;
let engine: RunningEngine;
const telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
const events = workerEvents(telemetry);
const clients: EngineClient[] = [];

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig() });
  engine = await startEngineProcess(repository.folder, {
    ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT: '4',
    ROUNDHOUSE_ENGINE_MAX_QUEUED: '0',
  });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await engine.stop();
  repository.remove();
});

function connect(kind: string, address = engine.address, poolBytes = 64 * 1_048_576): EngineClient {
  const grpc = connectEngine({ address });
  const client =
    kind === 'grpc' ? grpc : connectOverShm({ address, grpc, events, poolBytes, whenEmpty: 'inline' });
  clients.push(client);
  return client;
}
const inSeconds = (seconds: number): UnixMs => (Date.now() + seconds * 1_000) as UnixMs;
const request = (inputs: ReturnType<typeof echoInputs>, model = 'echo', version = '') => {
  return { model, version, requestId: 'r', inputs };
};
function counted(name: string, labels: Record<string, string> = {}): number {
  return telemetry.registry.total(name, labels);
}

describe.each(['grpc', 'shm'])('over %s the same call has the same end', (kind) => {
  let client: EngineClient;
  beforeAll(() => {
    client = connect(kind);
  });

  test('an answer', async () => {
    const answer = await client.infer(request(echoInputs([1, 2, 39])), inSeconds(5));
    expect(answer).toMatchObject({ model: 'echo', version: '1' });
    const sum = answer.outputs.find(({ name }) => name === 'sum')!;
    // 1 + 2 + 39 = 42
    expect(Buffer.from(sum.data).readBigInt64LE()).toBe(42n);
    expect(answer.outputs.find(({ name }) => name === 'data')).toMatchObject({
      datatype: 'INT32',
      shape: [1, 3],
    });
    expect(await client.isReady()).toBe(true);
  });

  const [data, control] = echoInputs([1]);
  test.each([
    ['unknown model', request(echoInputs([1]), 'nobody'), 'MODEL_UNAVAILABLE', /nobody/],
    ['unknown version', request(echoInputs([1]), 'echo', '7'), 'MODEL_UNAVAILABLE', /7/],
    [
      'version that is no number',
      request(echoInputs([1]), 'echo', '-1'),
      'PAYLOAD_INVALID',
      /model_version: "-1"/,
    ],
    [
      'wrong size',
      request([{ ...data!, shape: [1, 2] }, control!]),
      'PAYLOAD_INVALID',
      /inputs\[0\] "data".data: 4 bytes, but \[1, 2\] of INT32 needs 8/,
    ],
    ['twice', request([data!, data!]), 'PAYLOAD_INVALID', /inputs\[1\] "data".name: stands there twice/],
    ['negative shape', request([{ ...data!, shape: [-1] }, control!]), 'PAYLOAD_INVALID', /./],
    [
      'no datatype',
      request([{ ...data!, datatype: 'INT31' as 'INT32' }, control!]),
      'PAYLOAD_INVALID',
      /datatype: INT31 is no datatype/,
    ],
    ['missing input', request([data!]), 'PAYLOAD_INVALID', /control/],
    ['failing backend', request(echoInputs([1], operations.fail)), 'MODEL_FAILED', /told to fail/],
  ])('%s', async (_name, bad, code, message) => {
    await expect(client.infer(bad, inSeconds(5))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test('deadlines: past, and while the model runs', async () => {
    await expect(client.infer(request(echoInputs([1])), inSeconds(-1))).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    const slow = request(echoInputs([1], operations.sleep, 600_000));
    await expect(client.infer(slow, inSeconds(0.2))).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  test('given up, with a reason or without', async () => {
    const slow = request(echoInputs([1], operations.sleep, 600_000));
    for (const reason of [undefined, new RoundhouseError('SHUTTING_DOWN', 'stop')]) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(reason), 30);
      await expect(client.infer(slow, inSeconds(60), abort.signal)).rejects.toMatchObject({
        code: reason?.code ?? 'DEADLINE_EXCEEDED',
      });
      await expect(client.infer(slow, inSeconds(60), abort.signal)).rejects.toMatchObject({
        code: reason?.code ?? 'DEADLINE_EXCEEDED',
      });
    }
  });

  test('one more than the bound is busy', async () => {
    await refusesTheFifth(client, engine.address);
    expect((await client.infer(request(echoInputs([1])), inSeconds(60))).version).toBe('1');
  });
});

test('what no slot holds goes through gRPC and is counted', async () => {
  const client = connect('shm', engine.address, 2 * 1_048_576);
  const before = counted('dispatch_data_plane_fallbacks_total', { reason: 'too_large' });
  const answer = await client.infer(request(echoInputs(Array(300_000).fill(1))), inSeconds(10));
  expect(answer.outputs[0]!.shape).toEqual([1, 300_000]);
  expect(counted('dispatch_data_plane_fallbacks_total', { reason: 'too_large' })).toBe(before + 1);
});

test('without a data plane gRPC carries everything, with the reason', async () => {
  const plain = await startEngineProcess(repository.folder, { ROUNDHOUSE_DATA_PLANE: 'grpc' });
  const before = counted('dispatch_data_plane_fallbacks_total', { reason: 'not_connected' });
  const client = connect('shm', plain.address);
  expect((await client.infer(request(echoInputs([1])), inSeconds(5))).version).toBe('1');
  expect(counted('dispatch_data_plane_fallbacks_total', { reason: 'not_connected' })).toBe(before + 1);
  expect(counted('dispatch_data_plane_unavailable_total')).toBeGreaterThan(0);
  await plain.stop();
});

test('an engine that dies with a request is lost', async () => {
  const other = await startEngineProcess(repository.folder);
  const client = connect('shm', other.address);
  await client.infer(request(echoInputs([1])), inSeconds(5));
  const slow = client.infer(request(echoInputs([1], operations.sleep, 600_000)), inSeconds(60));
  setTimeout(() => other.child.kill('SIGKILL'), 30);
  await expect(slow).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  rmSync(dataPlaneSocket(other.socket), { force: true });
  await other.stop();
});
