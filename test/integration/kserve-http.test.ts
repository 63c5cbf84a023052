import { spawn } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { hasProgram } from '../support/has-program';
import { startEngineProcess } from './engine-process';
import { int32 } from './engine-repository';
import { faultEnv } from './fault-models';
import { control, data, startKserveHttp, type KserveHttpBench } from './kserve-http-bench';

jest.setTimeout(60_000);

let bench: KserveHttpBench;
beforeAll(async () => {
  bench = await startKserveHttp();
});
afterAll(() => bench.stop());
afterEach(() => expect(bench.faults).toEqual([]));

test('health, metadata, configuration, statistics and index', async () => {
  expect((await bench.send('/v2/health/live')).status).toBe(200);
  expect(await bench.send('/v2/health/ready')).toMatchObject({ status: 200, text: '' });
  expect((await bench.send('/v2/models/echo/ready')).status).toBe(200);
  expect((await bench.send('/v2/models/echo/versions/1/ready')).status).toBe(200);
  expect((await bench.send('/v2/models/echo/versions/7/ready')).status).toBe(404);
  expect((await bench.send('/v2/models/nobody/ready')).status).toBe(404);
  const metadata = JSON.parse((await bench.send('/v2')).text) as { name: string; extensions: string[] };
  expect(metadata.name).toBe('roundhouse');
  expect(metadata.extensions).toContain('binary_tensor_data');
  expect(metadata.extensions).not.toContain('cuda_shared_memory');
  expect(JSON.parse((await bench.send('/v2/models/echo')).text)).toMatchObject({
    name: 'echo',
    versions: ['1'],
  });
  expect(JSON.parse((await bench.send('/v2/models/echo/config')).text)).toMatchObject({ max_batch_size: 8 });
  const stats = JSON.parse((await bench.send('/v2/models/stats')).text) as {
    model_stats: { name: string }[];
  };
  expect(stats.model_stats.map(({ name }) => name).sort()).toEqual(['echo', 'mirror']);
  expect(JSON.parse((await bench.send('/v2/repository/index', { method: 'POST' })).text)).toEqual([
    { name: 'echo', version: '1', state: 'READY' },
    { name: 'mirror', version: '1', state: 'READY' },
  ]);
});

test('tensors as JSON: 64-bit integers with all digits, NaN and infinities, parameters to the backend', async () => {
  const body = `{"id":"exact","parameters":{"delay_ms":1,"ignore_cancel":true},"inputs":[
    {"name":"in_INT64","datatype":"INT64","shape":[3],"data":[9007199254740993,-9223372036854775808,-1]},
    {"name":"in_UINT64","datatype":"UINT64","shape":[1],"data":[18446744073709551615]},
    {"name":"in_FP32","datatype":"FP32","shape":[4],"data":[0.1,NaN,Infinity,-Infinity]},
    {"name":"in_BOOL","datatype":"BOOL","shape":[2],"data":[true,false]}]}`;
  const { status, text } = await bench.infer('mirror', body);
  expect({ status, text }).toMatchObject({ status: 200 });
  expect(text).toContain('"id":"exact","model_name":"mirror","model_version":"1"');
  expect(text).toContain('"data":[9007199254740993,-9223372036854775808,-1]');
  expect(text).toContain('"data":[18446744073709551615]');
  expect(text).toContain('"data":[0.1,NaN,Infinity,-Infinity]');
  expect(text).toContain('"data":[true,false]');
  const [, values] = /"PARAMETERS","datatype":"UINT8","shape":\[\d+\],"data":\[([\d,]*)\]/.exec(text)!;
  const seen = Buffer.from(values!.split(',').map(Number)).toString();
  expect(seen).toBe('delay_ms int 1\nignore_cancel bool true\n');
});

test('tensors as bytes after the JSON, both ways, mixed with JSON', async () => {
  const json = Buffer.from(
    JSON.stringify({
      inputs: [
        { name: 'data', datatype: 'INT32', shape: [1, 3], parameters: { binary_data_size: 12 } },
        control,
      ],
      outputs: [
        { name: 'sum', parameters: { binary_data: false } },
        { name: 'data', parameters: { binary_data: true } },
      ],
    }),
  );
  const body = Buffer.concat([json, int32([1, 2, 39])]);
  const headers = { 'inference-header-content-length': String(json.length) };
  const reply = await bench.post('/v2/models/echo/versions/1/infer', body, headers);
  expect(reply.status).toBe(200);
  const length = Number(reply.headers.get('inference-header-content-length'));
  const answer = JSON.parse(reply.bytes.subarray(0, length).toString()) as { outputs: { name: string }[] };
  const [sum] = answer.outputs.filter(({ name }) => name === 'sum');
  // 1 + 2 + 39 = 42
  expect(sum).toMatchObject({ data: [42] });
  expect(reply.bytes.subarray(length)).toEqual(int32([1, 2, 39]));
  const packed = await bench.post('/v2/models/echo/infer', gzipSync(body), {
    ...headers,
    'content-encoding': 'gzip',
  });
  expect(packed.status).toBe(200);
});

test('an answer too large for JSON is refused as such, and comes as bytes', async () => {
  // 300,000 values of 4 bytes are more than 1 MiB = 1,048,576 bytes.
  const inputs = [data, { ...control, data: [3, 300_000] }];
  const refused = await bench.infer('echo', { inputs });
  expect(refused).toMatchObject({ status: 400, text: expect.stringMatching(/1200008 bytes as JSON/) });
  const sent = await bench.infer('echo', { parameters: { binary_data_output: true }, inputs });
  const length = Number(sent.headers.get('inference-header-content-length'));
  expect(sent.bytes.length - length).toBe(1_200_008);
});

test('load and unload; a model that does not load says why, and the others serve', async () => {
  bench.repository.write('broken', 'backend: "echo" nonsense');
  const broken = await bench.post('/v2/repository/models/broken/load', '{}');
  expect(broken).toMatchObject({ status: 500, text: expect.stringMatching(/config.pbtxt:1:/) });
  expect((await bench.post('/v2/repository/models/nobody/load', '')).status).toBe(404);
  const unload = '{"parameters":{"unload_dependents":false}}';
  expect((await bench.post('/v2/repository/models/echo/unload', unload)).status).toBe(200);
  while ((await bench.send('/v2/models/echo/ready')).status === 200)
    await new Promise((r) => setTimeout(r, 10));
  expect((await bench.infer('echo', { inputs: [data, control] })).status).toBeGreaterThanOrEqual(400);
  expect((await bench.send('/v2/health/ready')).status).toBe(503);
  expect((await bench.post('/v2/repository/models/echo/load', '')).status).toBe(200);
  expect((await bench.infer('echo', { inputs: [data, control] })).status).toBe(200);
});

describe('deadlines and callers that leave', () => {
  const sleeping = { ...control, data: [1, 600_000] };

  test('a timeout in microseconds is kept, with 504', async () => {
    const reply = await bench.infer('echo', { parameters: { timeout: 50_000 }, inputs: [data, sleeping] });
    expect(reply.status).toBe(504);
  });

  test('a caller that hangs up cancels what runs for it', async () => {
    const body = JSON.stringify({ inputs: [data, sleeping] });
    const failures = async (): Promise<number> => {
      const stats = JSON.parse((await bench.send('/v2/models/echo/stats')).text) as {
        model_stats: { inference_stats: { fail: { count: number } } }[];
      };
      return stats.model_stats[0]!.inference_stats.fail.count;
    };
    const before = await failures();
    // The engine's ten minutes of sleep end as a failure. A call that was cut before the engine had it shows nowhere.
    while ((await failures()) === before) {
      const abort = new AbortController();
      const call = bench.send('/v2/models/echo/infer', { method: 'POST', body, signal: abort.signal });
      setTimeout(() => abort.abort(), 100);
      await expect(call).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});

describe('an engine that goes away', () => {
  test('503 with the reason while there is none, and the port goes on with the next', async () => {
    bench.address = null;
    const away = await bench.infer('echo', { inputs: [data, control] });
    expect(away).toMatchObject({
      status: 503,
      text: '{"error":"no engine serves now: the engine ended (SIGKILL)"}',
    });
    expect(away.headers.get('retry-after')).toBe('1');
    expect((await bench.send('/v2/health/live')).status).toBe(503);
    expect((await bench.send('/v2/health/ready')).status).toBe(503);
    const next = await startEngineProcess(bench.repository.folder, faultEnv);
    bench.address = next.address;
    expect((await bench.infer('echo', { inputs: [data, control] })).status).toBe(200);
    // Killed with a request in it: the request is answered.
    const held = bench.infer('echo', { inputs: [data, { ...control, data: [1, 600_000] }] });
    await new Promise((resolve) => setTimeout(resolve, 200));
    next.child.kill('SIGKILL');
    expect((await held).status).toBe(503);
    await next.stop();
    bench.address = bench.engine.address;
    expect((await bench.infer('echo', { inputs: [data, control] })).status).toBe(200);
  });
});

const withCurl = hasProgram('curl') ? test : test.skip;
withCurl('curl (where it is in PATH) works as it is written in the documentation', async () => {
  const body = JSON.stringify({ inputs: [data, control] });
  const child = spawn('curl', [
    '-s',
    '-m',
    '10',
    `http://127.0.0.1:${bench.port}/v2/models/echo/infer`,
    '-d',
    body,
  ]);
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  expect(JSON.parse(text)).toMatchObject({ outputs: [{ name: 'data' }, { name: 'sum', data: [42] }] });
});
