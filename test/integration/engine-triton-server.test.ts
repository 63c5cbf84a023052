import { TritonServer } from '#native/triton/triton-server';
import {
  backendDirectory,
  coreLibrary,
  echoConfig,
  echoInputs,
  makeRepository,
  operations,
  type TestRepository,
} from './engine-repository';

jest.setTimeout(60_000);

let repository: TestRepository;
let server: TritonServer;

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig() });
  server = await TritonServer.start({ coreLibrary, modelRepository: repository.folder, backendDirectory });
  await server.loadModel('echo');
});
afterAll(async () => {
  await server.stop();
  repository.remove();
});

function sumOf(data: Uint8Array): bigint {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigInt64(0, true);
}

test('answers with outputs in a pooled buffer', async () => {
  const result = await server.infer({ model: 'echo', inputs: echoInputs([1, 2, 39]) });
  expect(result.version).toBe('1');
  expect(result.outputs.map(({ name, datatype, shape }) => ({ name, datatype, shape }))).toEqual([
    { name: 'data', datatype: 'INT32', shape: [1, 3] },
    { name: 'sum', datatype: 'INT64', shape: [1, 1] },
  ]);
  // 1 + 2 + 39 = 42
  expect(sumOf(result.outputs[1]!.data)).toBe(42n);
  result.release();
});

test('an output larger than the buffer still comes whole', async () => {
  // 200,000 values of 7 are 800,000 bytes, the first guess is 64 KiB; the sum is 1,400,000.
  const inputs = echoInputs([0], operations.fill, 200_000);
  for (let i = 0; i < 2; i += 1) {
    const result = await server.infer({ model: 'echo', inputs });
    expect(result.outputs[0]!.data.byteLength).toBe(800_000);
    expect(sumOf(result.outputs[1]!.data)).toBe(1_400_000n);
    result.release();
  }
});

test('ragged requests run side by side and keep their own lengths', async () => {
  const requests = Array.from({ length: 64 }, (_, n) => Array.from({ length: n + 1 }, (_, i) => i));
  const results = await Promise.all(
    requests.map((data) => server.infer({ model: 'echo', inputs: echoInputs(data) })),
  );
  for (const [n, result] of results.entries()) {
    // 0 + 1 + … + n = n(n + 1)/2
    expect(sumOf(result.outputs[1]!.data)).toBe(BigInt((n * (n + 1)) / 2));
    expect(result.outputs[0]!.shape).toEqual([1, n + 1]);
    result.release();
  }
});

describe('refusals name what is wrong', () => {
  const good = echoInputs([1, 2]);
  const cases: [string, Parameters<TritonServer['infer']>[0], object][] = [
    ['unknown model', { model: 'nobody', inputs: good }, { code: 'NOT_FOUND', message: /nobody/ }],
    ['unknown version', { model: 'echo', version: '9', inputs: good }, { code: 'NOT_FOUND', message: /9/ }],
    [
      'version that is no number',
      { model: 'echo', version: 'x', inputs: good },
      { code: 'INVALID_ARG', message: /model_version: "x"/ },
    ],
    [
      'size',
      { model: 'echo', inputs: [{ ...good[0]!, data: Buffer.alloc(7) }, good[1]!] },
      { code: 'INVALID_ARG', message: /inputs\[0\] "data".data: 7 bytes, but \[1, 2\] of INT32 needs 8/ },
    ],
    [
      'negative dimension',
      { model: 'echo', inputs: [{ ...good[0]!, shape: [1, -2] }, good[1]!] },
      { code: 'INVALID_ARG', message: /inputs\[0\] "data".shape: -2/ },
    ],
    [
      'unknown datatype',
      { model: 'echo', inputs: [{ ...good[0]!, datatype: 'INT31' }, good[1]!] },
      { code: 'INVALID_ARG', message: /"data".datatype: INT31/ },
    ],
    [
      'other datatype than the model has',
      { model: 'echo', inputs: [{ ...good[0]!, datatype: 'FP32' }, good[1]!] },
      { code: 'INVALID_ARG', message: /'data'.*INT32/ },
    ],
    [
      'shape that the model does not have',
      {
        model: 'echo',
        inputs: [good[0]!, { ...good[1]!, shape: [1, 3], data: Buffer.alloc(12) }],
      },
      { code: 'INVALID_ARG', message: /'control'/ },
    ],
    ['missing input', { model: 'echo', inputs: [good[0]!] }, { code: 'INVALID_ARG', message: /control/ }],
    [
      'unknown input',
      { model: 'echo', inputs: [...good, { ...good[0]!, name: 'surplus' }] },
      { code: 'INVALID_ARG', message: /surplus/ },
    ],
    [
      'input that comes twice',
      { model: 'echo', inputs: [...good, good[0]!] },
      { code: 'INVALID_ARG', message: /inputs\[2\] "data"/ },
    ],
    [
      'unknown output',
      { model: 'echo', inputs: good, outputs: ['nothing'] },
      { code: 'INVALID_ARG', message: /nothing/ },
    ],
    [
      'backend that fails',
      { model: 'echo', inputs: echoInputs([1], operations.fail) },
      { code: 'INTERNAL', message: /told to fail/ },
    ],
  ];
  test.each(cases)('%s', async (_name, request, expected) => {
    const { code, message } = expected as { code: string; message: RegExp };
    await expect(server.infer(request)).rejects.toMatchObject({ code });
    await expect(server.infer(request)).rejects.toThrow(message);
    expect(server.inFlight).toBe(0);
  });
});

test('an abort answers at once and frees the buffers when the core has let go', async () => {
  const abort = new AbortController();
  // Without the cancellation it would sleep for ten minutes.
  const running = server.infer(
    { model: 'echo', inputs: echoInputs([1], operations.sleep, 600_000) },
    { signal: abort.signal },
  );
  abort.abort();
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  while (server.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const next = await server.infer({ model: 'echo', inputs: echoInputs([5]) });
  expect(sumOf(next.outputs[1]!.data)).toBe(5n);
  next.release();
});

test('metadata, config, statistics and the index', async () => {
  expect(server.isLive()).toBe(true);
  expect(server.isModelReady('echo')).toBe(true);
  expect(server.isModelReady('echo', '2')).toBe(false);
  expect(server.isModelReady('nobody')).toBe(false);
  expect(server.serverMetadata()).toMatchObject({ version: '2.51.0' });
  expect(server.modelMetadata('echo')).toMatchObject({ name: 'echo', versions: ['1'] });
  expect(server.modelConfig('echo')).toMatchObject({ backend: 'echo', max_batch_size: 8 });
  expect(server.modelStatistics('echo')).toHaveProperty('model_stats');
  expect(await server.repositoryIndex()).toMatchObject([{ name: 'echo', version: '1', state: 'READY' }]);
});
