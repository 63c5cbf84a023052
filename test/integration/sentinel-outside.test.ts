import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import type { RequestParameters } from '#lib/engine-client/request-parameters';
import type { UnixMs } from '#schemas/brands';
import { serveKserveHttp, type KserveHttp } from '#services/inference-worker/protocol/http/serve-kserve-http';
import {
  serveInferenceProtocol,
  type InferenceProtocol,
} from '#services/inference-worker/protocol/serve-inference-protocol';
import { faultEnv, faultRequest, makeFaultModels, type FaultModels } from './fault-models';
import { startSentinel, type SentinelBench } from './sentinel-harness';
import { openToAll } from '../support/open-to-all';

jest.setTimeout(120_000);

const minute = 60_000;
const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;

let models: FaultModels;
let bench: SentinelBench;
let grpcPort: InferenceProtocol;
let httpPort: KserveHttp;
let grpc: EngineClient;

beforeAll(() => {
  models = makeFaultModels();
});
afterAll(() => models.remove());

/** A worker's sentinel and its two ports, and a client from outside. */
async function start(options: Parameters<typeof startSentinel>[1] = {}): Promise<void> {
  bench = startSentinel(models.folder, { silenceFloorMs: 500, ...options, env: faultEnv });
  const { link } = bench;
  const engine = { engineAddress: () => link.address(), whyDown: () => link.whyDown() };
  grpcPort = await serveInferenceProtocol({ ...openToAll, bind: '127.0.0.1', port: 0, ...engine });
  httpPort = await serveKserveHttp({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1_024,
    ...engine,
  });
  grpc = connectEngine({ address: `127.0.0.1:${grpcPort.port}` });
  await bench.client();
}
afterEach(async () => {
  await grpc.close();
  await Promise.all([grpcPort.close(), httpPort.close()]);
  await bench.stop();
});

const overGrpc = (parameters: RequestParameters = {}, ms = minute) =>
  grpc.infer(faultRequest(parameters), inMs(ms));
function overHttp(parameters: RequestParameters = {}): Promise<Response> {
  const input = { name: 'IN', datatype: 'UINT8', shape: [3], data: [1, 2, 3] };
  const body = JSON.stringify({ inputs: [input], parameters });
  return fetch(`http://127.0.0.1:${httpPort.port}/v2/models/fault_injection/infer`, { method: 'POST', body });
}

/** The engine is replaced for the silence of one request, and the next engine answers. */
async function expectReplaced(): Promise<void> {
  await bench.untilSeen('EngineActivated', 2);
  await bench.untilSeen('IncidentReported', 1);
  const [incident] = bench.incidents();
  expect(incident).toMatchObject({
    kind: 'silence',
    silence: { model: 'fault_injection', requests: 1 },
    requests: [],
  });
  // 2 × 500 ms, and four times what one good answer of some milliseconds cost.
  expect(incident!.silence!.budgetMs).toBeGreaterThanOrEqual(1_000);
  expect(incident!.silence!.budgetMs).toBeLessThan(30_000);
  expect((await overHttp()).status).toBe(200);
}

test("a hang that only an outside client's lone request meets, over gRPC", async () => {
  await start();
  await overGrpc();
  await expect(overGrpc({ hang: true })).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  await expectReplaced();
});

test('the same over HTTP', async () => {
  await start();
  expect((await overHttp()).status).toBe(200);
  expect((await overHttp({ hang: true })).status).toBe(503);
  await expectReplaced();
});

test("a hang that is met by a client of the engine's own socket, which gave it up long ago", async () => {
  await start();
  await overGrpc();
  const own = connectEngine({ address: bench.link.address()! });
  const late = own.infer(faultRequest({ hang: true }), inMs(100));
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await expectReplaced();
  await own.close();
});

test('without a data plane: the lone request of the worker hangs, is given up, and is found', async () => {
  await start({ overGrpc: true });
  const client = await bench.client();
  await client.infer(faultRequest(), inMs(minute));
  const late = client.infer(faultRequest({ hang: true }), inMs(100));
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await bench.untilSeen('EngineActivated', 2);
  await bench.untilSeen('IncidentReported', 1);
  expect(bench.incidents()).toMatchObject([{ kind: 'silence', silence: { requests: 1 } }]);
  await (await bench.client()).infer(faultRequest(), inMs(minute));
});

test('a model that has never answered is found when its deadline has passed', async () => {
  await start();
  await expect(overGrpc({ hang: true }, 300)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await expectReplaced();
});

test('no engine is replaced for long work of a model that was always fast, while a processor is used for it', async () => {
  await start();
  await overGrpc();
  // The budget is 2 × 500 ms and little more.
  await overGrpc({ delay_ms: 5_000, busy: true });
  expect(bench.all('EngineLost')).toEqual([]);
});

test("no engine is replaced for honest long work: of a model without a past, of ours behind another's, and idle", async () => {
  await start();
  // Within its deadline, then four times as long as that; both longer than the floor of 2 × 500 ms.
  await overGrpc({ delay_ms: 2_000 });
  await overGrpc({ delay_ms: 2_500 });
  const own = async () => (await bench.client()).infer(faultRequest(), inMs(minute));
  await own();
  // All instances have work of others, and ours waits behind it in the engine's queue: its own cost is a few ms.
  const others = Array.from({ length: 8 }, () => overGrpc({ delay_ms: 2_500 }));
  await Promise.all([...others, own()]);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(bench.all('EngineLost')).toEqual([]);
});
