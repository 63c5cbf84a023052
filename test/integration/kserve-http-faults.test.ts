import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { control, data, startKserveHttp, type KserveHttpBench } from './kserve-http-bench';

jest.setTimeout(60_000);

let bench: KserveHttpBench;
beforeAll(async () => {
  bench = await startKserveHttp();
});
afterAll(() => bench.stop());
afterEach(() => expect(bench.faults).toEqual([]));

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
    const reply = await bench.infer('echo', body);
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
    const reply = await bench.post('/v2/models/echo/infer', '{}' + JSON.stringify(inputs(data, control)), {
      'inference-header-content-length': length,
    });
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(length === '2' ? /inputs: nothing/ : message);
  });

  test('surplus bytes', async () => {
    const json = JSON.stringify(inputs(data, control));
    const headers = { 'inference-header-content-length': String(json.length) };
    const reply = await bench.post('/v2/models/echo/infer', `${json}1234567`, headers);
    expect(reply).toMatchObject({
      status: 400,
      text: expect.stringMatching(/7 bytes after the JSON belong to no/),
    });
  });

  test('a body above the limit, announced, unannounced and once unpacked', async () => {
    const big = Buffer.alloc(200_000, 0x20);
    expect((await bench.post('/v2/models/echo/infer', big)).status).toBe(413);
    const packed = await bench.post('/v2/models/echo/infer', gzipSync(big), { 'content-encoding': 'gzip' });
    expect(packed).toMatchObject({
      status: 413,
      text: expect.stringMatching(/KSERVE_MAX_BODY_BYTES is 100000/),
    });
    expect((await bench.post('/v2/models/echo/infer', 'x', { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await bench.post('/v2/models/echo/infer', 'x', { 'content-encoding': 'br' })).status).toBe(415);
    // Still in its right mind.
    expect((await bench.infer('echo', inputs(data, control))).status).toBe(200);
  });

  test('models, versions and regions that lead elsewhere', async () => {
    for (const name of ['..%2F..%2Fetc', 'echo%00', '%2e%2e', 'a'.repeat(2_000)]) {
      expect((await bench.infer(name, inputs(data, control))).status).toBe(404);
      expect((await bench.post(`/v2/repository/models/${name}/load`, '')).status).toBe(404);
    }
    expect((await bench.send('/v2/models/echo/versions/x')).status).toBe(400);
    const region = await bench.post(
      '/v2/systemsharedmemory/region/r/register',
      '{"key":"/none","byte_size":-1}',
    );
    expect(region).toMatchObject({
      status: 400,
      text: expect.stringMatching(/byte_size: expected a whole number/),
    });
    const wide = await bench.post(
      '/v2/systemsharedmemory/region/r/register',
      '{"key":"/none","offset":18446744073709551615,"byte_size":2}',
    );
    expect(wide.status).toBe(400);
    expect((await bench.post('/v2/systemsharedmemory/region/none/unregister', '')).status).toBeLessThan(500);
  });
});

describe('peers that do not keep to HTTP', () => {
  test('garbage, a body that never ends and headers without an end are answered and cut', async () => {
    expect(await bench.raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*\{"error":"Bad Request"\}$/s);
    const slow = 'POST /v2/models/echo/infer HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{';
    expect(await bench.raw(slow)).toMatch(/^(HTTP\/1.1 408 .*)?$/s);
    expect(await bench.raw('GET /v2 HTTP/1.1\r\nhost: a\r\nx: ')).toMatch(/^HTTP\/1.1 408 /);
    expect(await bench.raw('')).toMatch(/^(HTTP\/1.1 408 .*)?$/s);
    expect(await bench.raw(`GET /v2 HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 431 /,
    );
  });

  test('a connection is kept for the next request, also after a refusal', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
    const both = await bench.raw(get('/v2/nothing') + get('/v2/health/live'), /200 OK/);
    expect(both).toMatch(/404 Not Found.*200 OK/s);
  });

  test('two hundred connections that say nothing keep nobody else out', async () => {
    const silent = Array.from({ length: 200 }, () => connect(bench.port, '127.0.0.1'));
    for (const socket of silent) socket.on('error', () => undefined);
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect((await bench.infer('echo', { inputs: [data, control] })).status).toBe(200);
    await Promise.all(
      silent.map((socket) => new Promise((resolve) => socket.once('close', resolve).resume())),
    );
  });
});
