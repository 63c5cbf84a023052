import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '#launcher/process-identity';
import { mainFileOf, runToItsEnd, spawnService } from '../support/run-service';
import { startStack } from '../support/stack';
import { until } from '../support/until';
import { stopProcess } from '../support/stop-process';
import { closedWithFile, killedWithFile } from '../support/closed-with-file';

const stack = startStack('exits');
const free = {
  ROUNDHOUSE_WORKER_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_GRPC_PORT: '0',
  ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_METRICS_PORT: '0',
};

const runWorker = (env: Record<string, string>) =>
  runToItsEnd('inference-worker', { ...stack.env, ...free, ...env });

async function forkReady(): Promise<ChildProcess> {
  const child = killedWithFile(
    fork(mainFileOf('inference-worker'), [], {
      env: { ...process.env, ...stack.env, ...free },
      stdio: 'ignore',
    }),
  );
  const [message] = (await once(child, 'message')) as [
    { type: string; ports: { http: number; grpc: number } },
  ];
  expect(message.type).toBe('ready');
  expect(message.ports.http).toBeGreaterThan(0);
  expect(message.ports.grpc).toBeGreaterThan(0);
  return child;
}

const engineOf = (pid: number): number[] => childrenOf(pid, join('engine', 'main.js'));

async function untilGone(pid: number): Promise<void> {
  await until(() => !existsSync(`/proc/${pid}`), `process ${pid} is gone`);
}

test('faulty settings: all are printed, exit code 2', async () => {
  const { code, output } = await runWorker({
    ROUNDHOUSE_WORKER_WINDOW: 'many',
    ROUNDHOUSE_LOG_LEVEL: 'loud',
    ROUNDHOUSE_WORKER_WINDOWS: '3',
    ROUNDHOUSE_ENGINES: '0;tpu',
    ROUNDHOUSE_SCHEDULER: 'random',
  });
  expect(code).toBe(2);
  expect(output).toContain('CONFIG_INVALID: 5 faults');
  expect(output).toContain('ROUNDHOUSE_WORKER_WINDOW="many": a whole number from 1 to 1000');
  expect(output).toContain('ROUNDHOUSE_LOG_LEVEL="loud": one of trace, debug, info, warn, error, silent');
  expect(output).toContain('ROUNDHOUSE_ENGINES="0;tpu": auto, cpu or numbers of GPUs');
  expect(output).toContain('ROUNDHOUSE_SCHEDULER="random": one of staggered, fifo');
  expect(output).toContain('ROUNDHOUSE_WORKER_WINDOWS: did you mean ROUNDHOUSE_WORKER_WINDOW?');
});

test.each([
  [
    { ROUNDHOUSE_DEVICES: 'nonsense' },
    /^inference-worker: CONFIG_INVALID: the engine: .*\n? *ROUNDHOUSE_DEVICES="nonsense"/m,
  ],
  [
    { ROUNDHOUSE_DEVICES: '0,0' },
    /^inference-worker: CONFIG_INVALID: the engine: ROUNDHOUSE_DEVICES names GPU 0 twice/m,
  ],
  [{ ROUNDHOUSE_DEVICES: '63' }, /^inference-worker: CONFIG_INVALID: the engine: ROUNDHOUSE_DEVICES .*63/m],
  [
    { ROUNDHOUSE_ENGINES: 'cpu;63' },
    /^inference-worker: CONFIG_INVALID: the engine: ROUNDHOUSE_ENGINES with 63 names GPU 63/m,
  ],
  [{ ROUNDHOUSE_ENGINES: '0;0' }, /^inference-worker: CONFIG_INVALID: ROUNDHOUSE_ENGINES names GPU 0 twice/m],
  [
    { ROUNDHOUSE_MODELS_DIR: '/nope' },
    /^inference-worker: CONFIG_INVALID: .*\n? *ROUNDHOUSE_MODELS_DIR="\/nope"/m,
  ],
])(
  'a setting that only the engine reads, %j: exit code 2, its reason, no incident',
  async (env, reason) => {
    const folder = mkdtempSync(join(tmpdir(), 'roundhouse-exits-'));
    const incidents = join(folder, 'incidents');
    const { code, output } = await runWorker({ ...env, ROUNDHOUSE_INCIDENT_DIR: incidents });
    expect(output).toMatch(reason);
    expect(code).toBe(2);
    expect(existsSync(incidents)).toBe(false);
    // One engine, and no second try.
    expect(output.match(/^inference-worker: CONFIG_INVALID/gm)).toHaveLength(1);
    expect(output).not.toMatch(/"event":"(EngineLost|CircuitChanged|IncidentReported)"/);
    rmSync(folder, { recursive: true });
  },
  60_000,
);

test('Kafka absent: says what it waits for, gives up after the configured time, exit code 3', async () => {
  const { code, output, ms } = await runWorker({
    KAFKA_BROKERS: '127.0.0.1:1',
    ROUNDHOUSE_STARTUP_TIMEOUT_MS: '3000',
  });
  expect(code).toBe(3);
  expect(output).toContain('waiting for Kafka at 127.0.0.1:1');
  expect(output).toContain('DEPENDENCY_ABSENT: Kafka at 127.0.0.1:1 did not answer in 3000 ms');
  expect(ms).toBeGreaterThan(2_900);
}, 60_000);

test('a port in use is named, exit code 1', async () => {
  const server = closedWithFile(createServer().listen(0, '127.0.0.1'), (taken) => taken.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const peer = { ROUNDHOUSE_UCX_NETWORKS: '127.0.0.0/8' };
  for (const key of [...Object.keys(free), 'ROUNDHOUSE_WORKER_PEER_PORT']) {
    const { code, output } = await runWorker({ ...(key.includes('PEER') ? peer : {}), [key]: String(port) });
    expect(code).toBe(1);
    expect(output).toContain(`PORT_IN_USE: 127.0.0.1:${port} is in use: set ${key} to another port`);
  }
  server.close();
}, 60_000);

test('SIGTERM while it waits for Kafka: exit code 0 at once', async () => {
  const { child, output } = spawnService('inference-worker', {
    ...stack.env,
    ...free,
    KAFKA_BROKERS: '127.0.0.1:1',
    ROUNDHOUSE_STARTUP_TIMEOUT_MS: '600000',
  });
  await until(() => output().includes('waiting for Kafka'), 'it waits');
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
}, 60_000);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Null while nobody listens. */
async function health(port: number, path: string): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

test('an engine that never becomes ready: alive, not ready with the reason, no ready message; SIGTERM ends it with 0', async () => {
  const port = await freePort();
  const nowhere = { ROUNDHOUSE_TOOLCHAIN_DIR: 'no-such-folder', ROUNDHOUSE_ENGINE_READY_TIMEOUT_MS: '60000' };
  const env = {
    ...process.env,
    ...stack.env,
    ...free,
    ...nowhere,
    ROUNDHOUSE_WORKER_HTTP_PORT: String(port),
  };
  const child = killedWithFile(fork(mainFileOf('inference-worker'), [], { env, stdio: 'ignore' }));
  const exited = once(child, 'exit');
  const types = new Set<string>();
  child.on('message', ({ type }: { type: string }) => types.add(type));
  let answer = '';
  const hasEnded = async () => {
    answer = (await health(port, '/readyz'))?.text ?? '';
    return /the engine ended \(exit code \d/.test(answer);
  };
  await until(hasEnded, 'the engine ended');
  expect(answer).toMatch(/exit code \d.*no-such-folder/s);
  await sleep(2_000); // it goes on
  expect(child.exitCode).toBeNull();
  expect((await health(port, '/livez'))?.status).toBe(200);
  expect((await health(port, '/readyz'))?.status).toBe(503);
  expect(types).toEqual(new Set(['told'])); // of each engine that was lost, but not that it is ready
  child.kill('SIGTERM');
  expect((await exited)[0]).toBe(0);
}, 60_000);

test('SIGTERM while an engine hangs in its start: exit code 0, and the engine is gone', async () => {
  const { child } = spawnService('inference-worker', { ...stack.env, ...free });
  const exited = once(child, 'exit');
  await until(() => engineOf(child.pid!).length > 0, 'an engine');
  const engine = engineOf(child.pid!)[0]!;
  await stopProcess(engine);
  child.kill('SIGTERM');
  expect((await exited)[0]).toBe(0);
  await untilGone(engine);
}, 60_000);

test('SIGTERM: exit code 0, and its engine is gone', async () => {
  const child = await forkReady();
  const [engine] = engineOf(child.pid!);
  expect(engine).toBeGreaterThan(0);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  await untilGone(engine!);
}, 60_000);

test('a worker killed without warning takes its engine with it', async () => {
  const child = await forkReady();
  const [engine] = engineOf(child.pid!);
  child.kill('SIGKILL');
  await untilGone(engine!);
}, 60_000);

test('a stopped engine that sees nothing ends with its killed worker, too', async () => {
  const worker = await forkReady();
  const [engine] = engineOf(worker.pid!);
  await stopProcess(engine!);
  worker.kill('SIGKILL');
  await untilGone(engine!);
}, 60_000);

test('a worker whose parent disappears ends by itself', async () => {
  const child = await forkReady();
  const exited = once(child, 'exit');
  child.disconnect(); // what the kernel does for a dead parent
  const [code] = (await exited) as [number | null];
  expect(code).toBe(0);
}, 60_000);
