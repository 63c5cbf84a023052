import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { serveKserveHttp, type KserveHttp } from '#services/inference-worker/protocol/http/serve-kserve-http';
import { hasProgram } from '../support/has-program';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, int32, makeRepository, type TestRepository } from './engine-repository';
import { faultEnv } from './fault-models';

jest.setTimeout(60_000);

/** Inputs and outputs of every kind, passed through. */
const kinds = ['INT64', 'UINT64', 'FP32', 'FP64', 'BOOL', 'UINT8'];
const tensors = (prefix: string) =>
  kinds.map(
    (kind) =>
      `{ name: "${prefix}_${kind}" data_type: TYPE_${kind} dims: [ -1 ] ${prefix === 'in' ? 'optional: true' : ''} }`,
  );
const mirrorConfig = `backend: "fault_injection"
input [ ${tensors('in').join(',')} ]
output [ ${tensors('out').join(',')}, { name: "PARAMETERS" data_type: TYPE_UINT8 dims: [ -1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]`;

let repository: TestRepository;
let engine: RunningEngine;
let http: KserveHttp;
/** What the server believes of the engine; tests take it away. */
let address: string | null;
const faults: Error[] = [];

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig(), mirror: mirrorConfig });
  engine = await startEngineProcess(repository.folder, faultEnv);
  address = engine.address;
  http = await serveKserveHttp({
    bind: '127.0.0.1',
    port: 0,
    engineAddress: () => address,
    whyDown: () => (address === null ? 'the engine ended (SIGKILL)' : null),
    maxBodyBytes: 100_000,
    bodyTimeoutMs: 500,
    controlTimeoutMs: 5_000,
    workTimeoutMs: 20_000,
    onFault: (error) => faults.push(error),
  });
});
afterAll(async () => {
  await http.close();
  await engine.stop();
  repository.remove();
});
afterEach(() => expect(faults).toEqual([]));

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

async function send(path: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${http.port}${path}`, init);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, text: bytes.toString(), headers: response.headers, bytes };
}
const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  send(path, { method: 'POST', body: typeof body === 'string' ? body : new Uint8Array(body), headers });
const infer = (model: string, body: unknown) =>
  post(`/v2/models/${model}/infer`, typeof body === 'string' ? body : JSON.stringify(body));

const data = { name: 'data', datatype: 'INT32', shape: [1, 3], data: [1, 2, 39] };
const control = { name: 'control', datatype: 'INT32', shape: [1, 2], data: [0, 0] };

test('health, metadata, configuration, statistics and index', async () => {
  expect((await send('/v2/health/live')).status).toBe(200);
  expect(await send('/v2/health/ready')).toMatchObject({ status: 200, text: '' });
  expect((await send('/v2/models/echo/ready')).status).toBe(200);
  expect((await send('/v2/models/echo/versions/1/ready')).status).toBe(200);
  expect((await send('/v2/models/echo/versions/7/ready')).status).toBe(404);
  expect((await send('/v2/models/nobody/ready')).status).toBe(404);
  const metadata = JSON.parse((await send('/v2')).text) as { name: string; extensions: string[] };
  expect(metadata.name).toBe('roundhouse');
  expect(metadata.extensions).toContain('binary_tensor_data');
  expect(metadata.extensions).not.toContain('cuda_shared_memory');
  expect(JSON.parse((await send('/v2/models/echo')).text)).toMatchObject({ name: 'echo', versions: ['1'] });
  expect(JSON.parse((await send('/v2/models/echo/config')).text)).toMatchObject({ max_batch_size: 8 });
  const stats = JSON.parse((await send('/v2/models/stats')).text) as { model_stats: { name: string }[] };
  expect(stats.model_stats.map(({ name }) => name).sort()).toEqual(['echo', 'mirror']);
  expect(JSON.parse((await send('/v2/repository/index', { method: 'POST' })).text)).toEqual([
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
  const { status, text } = await infer('mirror', body);
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
  const reply = await post('/v2/models/echo/versions/1/infer', body, headers);
  expect(reply.status).toBe(200);
  const length = Number(reply.headers.get('inference-header-content-length'));
  const answer = JSON.parse(reply.bytes.subarray(0, length).toString()) as { outputs: { name: string }[] };
  const [sum] = answer.outputs.filter(({ name }) => name === 'sum');
  // 1 + 2 + 39 = 42
  expect(sum).toMatchObject({ data: [42] });
  expect(reply.bytes.subarray(length)).toEqual(int32([1, 2, 39]));
  const packed = await post('/v2/models/echo/infer', gzipSync(body), {
    ...headers,
    'content-encoding': 'gzip',
  });
  expect(packed.status).toBe(200);
});

test('an answer too large for JSON is refused as such, and comes as bytes', async () => {
  // 300,000 values of 4 bytes are more than 1 MiB = 1,048,576 bytes.
  const inputs = [data, { ...control, data: [3, 300_000] }];
  const refused = await infer('echo', { inputs });
  expect(refused).toMatchObject({ status: 400, text: expect.stringMatching(/1200008 bytes as JSON/) });
  const sent = await infer('echo', { parameters: { binary_data_output: true }, inputs });
  const length = Number(sent.headers.get('inference-header-content-length'));
  expect(sent.bytes.length - length).toBe(1_200_008);
});

describe('what is wrong is named', () => {
  const inputs = (...changed: object[]) => ({ inputs: changed });
  const cases: [string, unknown, number, RegExp][] = [
    ['no JSON', '{', 400, /JSON, character 1/],
    ['an array', '[]', 400, /the body: an array, expected an object/],
    ['no inputs', {}, 400, /inputs: nothing, expected an array/],
    ['an input without a name', inputs({ ...data, name: 1 }), 400, /inputs\[0\].name: a number/],
    [
      'no datatype',
      inputs(data, { ...control, datatype: null }),
      400,
      /inputs\[1\] "control".datatype: null/,
    ],
    ['unknown datatype', inputs({ ...data, datatype: 'INT31' }), 400, /inputs\[0\] "data".data: "INT31"/],
    ['other datatype than the model', inputs({ ...data, datatype: 'FP32' }, control), 400, /data.*INT32/],
    ['negative dimension', inputs({ ...data, shape: [1, -3] }), 400, /inputs\[0\] "data".shape\[1\]: -3/],
    ['wrong count', inputs({ ...data, shape: [1, 4] }), 400, /3 elements, the shape \[1, 4\] has 4/],
    [
      'wrong element',
      inputs({ ...data, data: [1, 'x', 3] }),
      400,
      /inputs\[0\] "data".data\[1\]: "x" is no INT32/,
    ],
    ['input twice', inputs(data, control, data), 400, /inputs\[2\] "data".name: stands there twice/],
    ['missing input', inputs(data), 400, /control/],
    ['unknown input', inputs(data, control, { ...data, name: 'more' }), 400, /more/],
    ['unknown output', { ...inputs(data, control), outputs: [{ name: 'nothing' }] }, 400, /nothing/],
    [
      'output twice',
      { ...inputs(data, control), outputs: [{ name: 'sum' }, { name: 'sum' }] },
      400,
      /outputs\[1\] "sum"/,
    ],
    [
      'classification',
      { ...inputs(data, control), outputs: [{ name: 'sum', parameters: { classification: 3 } }] },
      400,
      /outputs\[0\].parameters.classification: not supported/,
    ],
    ['id that is no text', { id: 5, ...inputs(data, control) }, 400, /id: a number, expected a string/],
    [
      'a parameter that is no value',
      { parameters: { p: [] }, ...inputs(data, control) },
      400,
      /parameters\["p"\]/,
    ],
    [
      'bytes that did not come',
      inputs({ name: 'data', datatype: 'INT32', shape: [1, 3], parameters: { binary_data_size: 12 } }),
      400,
      /binary_data_size: 12, but 0 bytes are left/,
    ],
    [
      'both kinds of contents',
      inputs({ ...data, parameters: { binary_data_size: 12 } }),
      400,
      /data, binary_data_size and shared_memory_region exclude each other/,
    ],
    [
      'unknown shared memory',
      inputs(
        {
          name: 'data',
          datatype: 'INT32',
          shape: [1, 3],
          parameters: { shared_memory_region: 'r', shared_memory_byte_size: 12 },
        },
        control,
      ),
      404,
      /region/,
    ],
    ['a backend that fails', inputs(data, { ...control, data: [2, 0] }), 500, /told to fail/],
  ];
  test.each(cases)('%s', async (_name, body, status, message) => {
    const reply = await infer('echo', body);
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status });
    const { error } = JSON.parse(reply.text) as { error: string };
    expect(error).toMatch(message);
  });

  test.each([
    ['length that is none', 'x', /x.* is no length/],
    ['length beyond the body', '999', /999, but the body has/],
    ['length 0', '0', /requests without JSON/],
    ['bytes that belong to no input', '2', /left|belong/],
  ])('the header of the binary extension: %s', async (_name, length, message) => {
    const reply = await post('/v2/models/echo/infer', '{}' + JSON.stringify(inputs(data, control)), {
      'inference-header-content-length': length,
    });
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(length === '2' ? /inputs: nothing/ : message);
  });

  test('surplus bytes', async () => {
    const json = JSON.stringify(inputs(data, control));
    const headers = { 'inference-header-content-length': String(json.length) };
    const reply = await post('/v2/models/echo/infer', `${json}1234567`, headers);
    expect(reply).toMatchObject({
      status: 400,
      text: expect.stringMatching(/7 bytes after the JSON belong to no/),
    });
  });

  test('a body above the limit, announced, unannounced and once unpacked', async () => {
    const big = Buffer.alloc(200_000, 0x20);
    expect((await post('/v2/models/echo/infer', big)).status).toBe(413);
    const packed = await post('/v2/models/echo/infer', gzipSync(big), { 'content-encoding': 'gzip' });
    expect(packed).toMatchObject({
      status: 413,
      text: expect.stringMatching(/KSERVE_MAX_BODY_BYTES is 100000/),
    });
    expect((await post('/v2/models/echo/infer', 'x', { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await post('/v2/models/echo/infer', 'x', { 'content-encoding': 'br' })).status).toBe(415);
    // Still in its right mind.
    expect((await infer('echo', inputs(data, control))).status).toBe(200);
  });

  test('models, versions and regions that lead elsewhere', async () => {
    for (const name of ['..%2F..%2Fetc', 'echo%00', '%2e%2e', 'a'.repeat(2_000)]) {
      expect((await infer(name, inputs(data, control))).status).toBe(404);
      expect((await post(`/v2/repository/models/${name}/load`, '')).status).toBe(404);
    }
    expect((await send('/v2/models/echo/versions/x')).status).toBe(400);
    const region = await post('/v2/systemsharedmemory/region/r/register', '{"key":"/none","byte_size":-1}');
    expect(region).toMatchObject({
      status: 400,
      text: expect.stringMatching(/byte_size: expected a whole number/),
    });
    const wide = await post(
      '/v2/systemsharedmemory/region/r/register',
      '{"key":"/none","offset":18446744073709551615,"byte_size":2}',
    );
    expect(wide.status).toBe(400);
    expect((await post('/v2/systemsharedmemory/region/none/unregister', '')).status).toBeLessThan(500);
  });
});

test('load and unload; a model that does not load says why, and the others serve', async () => {
  repository.write('broken', 'backend: "echo" nonsense');
  const broken = await post('/v2/repository/models/broken/load', '{}');
  expect(broken).toMatchObject({ status: 500, text: expect.stringMatching(/config.pbtxt:1:/) });
  expect((await post('/v2/repository/models/nobody/load', '')).status).toBe(404);
  const unload = '{"parameters":{"unload_dependents":false}}';
  expect((await post('/v2/repository/models/echo/unload', unload)).status).toBe(200);
  while ((await send('/v2/models/echo/ready')).status === 200) await new Promise((r) => setTimeout(r, 10));
  expect((await infer('echo', { inputs: [data, control] })).status).toBeGreaterThanOrEqual(400);
  expect((await send('/v2/health/ready')).status).toBe(503);
  expect((await post('/v2/repository/models/echo/load', '')).status).toBe(200);
  expect((await infer('echo', { inputs: [data, control] })).status).toBe(200);
});

/** What comes back until the other side ends the connection, or `enough` is in it. */
function raw(text: string, enough?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(http.port, '127.0.0.1', () => socket.write(text));
    let seen = '';
    const done = (): void => {
      socket.destroy();
      resolve(seen);
    };
    socket.on('data', (bytes) => {
      seen += bytes.toString();
      if (enough?.test(seen)) done();
    });
    socket.on('close', done);
    socket.on('error', reject);
  });
}

describe('peers that do not keep to HTTP', () => {
  test('garbage, a body that never ends and headers without an end are answered and cut', async () => {
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*\{"error":"Bad Request"\}$/s);
    const slow = 'POST /v2/models/echo/infer HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{';
    expect(await raw(slow)).toMatch(/^(HTTP\/1.1 408 .*)?$/s);
    expect(await raw('GET /v2 HTTP/1.1\r\nhost: a\r\nx: ')).toMatch(/^HTTP\/1.1 408 /);
    expect(await raw('')).toMatch(/^(HTTP\/1.1 408 .*)?$/s);
    expect(await raw(`GET /v2 HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  });

  test('a connection is kept for the next request, also after a refusal', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
    const both = await raw(get('/v2/nothing') + get('/v2/health/live'), /200 OK/);
    expect(both).toMatch(/404 Not Found.*200 OK/s);
  });

  test('two hundred connections that say nothing keep nobody else out', async () => {
    const silent = Array.from({ length: 200 }, () => connect(http.port, '127.0.0.1'));
    for (const socket of silent) socket.on('error', () => undefined);
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect((await infer('echo', { inputs: [data, control] })).status).toBe(200);
    await Promise.all(
      silent.map((socket) => new Promise((resolve) => socket.once('close', resolve).resume())),
    );
  });
});

describe('deadlines and callers that leave', () => {
  const sleeping = { ...control, data: [1, 600_000] };

  test('a timeout in microseconds is kept, with 504', async () => {
    const reply = await infer('echo', { parameters: { timeout: 50_000 }, inputs: [data, sleeping] });
    expect(reply.status).toBe(504);
  });

  test('a caller that hangs up cancels what runs for it', async () => {
    const body = JSON.stringify({ inputs: [data, sleeping] });
    const failures = async (): Promise<number> => {
      const stats = JSON.parse((await send('/v2/models/echo/stats')).text) as {
        model_stats: { inference_stats: { fail: { count: number } } }[];
      };
      return stats.model_stats[0]!.inference_stats.fail.count;
    };
    const before = await failures();
    // The engine's ten minutes of sleep end as a failure. A call that was cut before the engine had it shows nowhere.
    while ((await failures()) === before) {
      const abort = new AbortController();
      const call = send('/v2/models/echo/infer', { method: 'POST', body, signal: abort.signal });
      setTimeout(() => abort.abort(), 100);
      await expect(call).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
});

describe('an engine that goes away', () => {
  test('503 with the reason while there is none, and the port goes on with the next', async () => {
    address = null;
    const away = await infer('echo', { inputs: [data, control] });
    expect(away).toMatchObject({
      status: 503,
      text: '{"error":"no engine serves now: the engine ended (SIGKILL)"}',
    });
    expect(away.headers.get('retry-after')).toBe('1');
    expect((await send('/v2/health/live')).status).toBe(503);
    expect((await send('/v2/health/ready')).status).toBe(503);
    const next = await startEngineProcess(repository.folder, faultEnv);
    address = next.address;
    expect((await infer('echo', { inputs: [data, control] })).status).toBe(200);
    // Killed with a request in it: the request is answered.
    const held = infer('echo', { inputs: [data, { ...control, data: [1, 600_000] }] });
    await new Promise((resolve) => setTimeout(resolve, 200));
    next.child.kill('SIGKILL');
    expect((await held).status).toBe(503);
    await next.stop();
    address = engine.address;
    expect((await infer('echo', { inputs: [data, control] })).status).toBe(200);
  });
});

const withCurl = hasProgram('curl') ? test : test.skip;
withCurl('curl (where it is in PATH) works as it is written in the documentation', async () => {
  const body = JSON.stringify({ inputs: [data, control] });
  const child = spawn('curl', [
    '-s',
    '-m',
    '10',
    `http://127.0.0.1:${http.port}/v2/models/echo/infer`,
    '-d',
    body,
  ]);
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  expect(JSON.parse(text)).toMatchObject({ outputs: [{ name: 'data' }, { name: 'sum', data: [42] }] });
});
