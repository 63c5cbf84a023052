import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { childrenOf } from '#launcher/process-identity';
import { projectPath } from '#schemas/project-root';
import { join } from 'node:path';
import { runToItsEnd } from '../support/run-service';
import { until } from '../support/until';
import { echoConfig, makeRepository, type TestRepository } from './engine-repository';

jest.setTimeout(60_000);

const freePorts = {
  ROUNDHOUSE_WORKER_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_GRPC_PORT: '0',
  ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_METRICS_PORT: '0',
};

let repository: TestRepository;
let server: ChildProcess;
let ports: Record<'http' | 'grpc' | 'kserveHttp' | 'metrics', number>;

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig() });
  server = spawn(process.execPath, [projectPath('dist/services/inference-worker/serve-models/main.js')], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ROUNDHOUSE_MODELS_DIR: repository.folder,
      ROUNDHOUSE_LOG_LEVEL: 'silent',
      ...freePorts,
    },
  });
  const [message] = (await once(server, 'message')) as [{ ports: typeof ports }];
  ports = message.ports;
});
afterAll(() => {
  server.kill('SIGKILL');
  repository.remove();
});

const body = JSON.stringify({
  inputs: [
    { name: 'data', datatype: 'INT32', shape: [1, 3], data: [1, 2, 39] },
    { name: 'control', datatype: 'INT32', shape: [1, 2], data: [0, 0] },
  ],
});
async function infer(): Promise<{ status: number; text: string }> {
  const url = `http://127.0.0.1:${ports.kserveHttp}/v2/models/echo/infer`;
  const response = await fetch(url, { method: 'POST', body });
  return { status: response.status, text: await response.text() };
}

test('the port stays open while the engine is replaced, and every request is answered', async () => {
  expect((await infer()).text).toContain('"data":[42]');
  const [engine] = childrenOf(server.pid!, join('engine', 'main.js'));
  process.kill(engine!, 'SIGKILL');
  const statuses = new Set<number>();
  for (let answer = await infer(); ; answer = await infer()) {
    statuses.add(answer.status);
    if (answer.status === 503) expect(answer.text).toMatch(/^\{"error":".+"\}$/);
    const [next] = childrenOf(server.pid!, join('engine', 'main.js'));
    if (answer.status === 200 && next !== undefined && next !== engine) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
});

test('metrics on their own port, health on the other', async () => {
  const metrics = await fetch(`http://127.0.0.1:${ports.metrics}/metrics`);
  expect(await metrics.text()).toContain('dispatch_engine_starts_total');
  expect((await fetch(`http://127.0.0.1:${ports.metrics}/other`)).status).toBe(404);
  expect((await fetch(`http://127.0.0.1:${ports.http}/readyz`)).status).toBe(200);
});

async function scrape(accept = 'text/plain'): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${ports.metrics}/metrics`, { headers: { accept } });
  return response.text();
}
const successes = (text: string) =>
  /^nv_inference_request_success\{model="echo",version="1",engine="local",service="serve-models"\} (\d+)$/m.exec(
    text,
  )?.[1];

test("TritonCore's own metrics are among them, as they are now", async () => {
  const before = Number(successes(await scrape()));
  for (let i = 0; i < 3; i += 1) await infer();
  await until(async () => Number(successes(await scrape())) === before + 3, 'three more');
  const text = await scrape();
  for (const name of ['nv_inference_queue_duration_us', 'nv_inference_compute_infer_duration_us'])
    expect(text).toMatch(new RegExp(`^# TYPE ${name} counter$`, 'm'));
});

test('an engine that is silent costs a scrape nothing: its last figures are there', async () => {
  const known = successes(await scrape());
  expect(known).toBeDefined();
  const [engine] = childrenOf(server.pid!, join('engine', 'main.js'));
  process.kill(engine!, 'SIGSTOP');
  const text = await scrape('application/openmetrics-text');
  process.kill(engine!, 'SIGCONT');
  expect(text).toMatch(/^# TYPE nv_inference_request_success unknown$/m);
  expect(successes(text)).toBe(known);
  expect(text).toMatch(/# EOF\n$/);
});

test('told to end it ends with 0 and takes its engine along', async () => {
  const engines = childrenOf(server.pid!, join('engine', 'main.js'));
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
  for (const pid of engines) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
});

test.each([
  ['inference-worker/serve-models', 'ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT'] as const,
  ['ops', 'ROUNDHOUSE_OPS_HTTP_PORT'] as const,
])('%s: a port in use is named with the variable that changes it', async (service, key) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, output } = await runToItsEnd(service, { ...freePorts, [key]: String(port) });
  taken.close();
  expect(output).toContain(`PORT_IN_USE: 127.0.0.1:${port} is in use: set ${key} to another port`);
  expect(code).toBe(1);
});

test('a setting that its engine refuses ends it with 2 and the reason', async () => {
  const { code, output } = await runToItsEnd('inference-worker/serve-models', {
    ...freePorts,
    ROUNDHOUSE_MODELS_DIR: '/nope',
  });
  expect(output).toMatch(/^serve-models: CONFIG_INVALID: the engine: .*\n? *ROUNDHOUSE_MODELS_DIR="\/nope"/m);
  expect(code).toBe(2);
});
