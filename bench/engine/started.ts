import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fewHeaps } from '#lib/few-heaps';
import { projectPath } from '#schemas/project-root';

export interface StartedProgram {
  /** What it said when it was ready. */
  readonly ports: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

function start(program: string, env: NodeJS.ProcessEnv): Promise<StartedProgram> {
  const child: ChildProcess = spawn(process.execPath, [projectPath('dist', ...program.split('/'))], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ROUNDHOUSE_LOG_LEVEL: 'error', ...env },
  });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return new Promise((done, reject) => {
    child.on('message', ({ type, ports }: { type: string; ports: Record<string, number> }) => {
      if (type === 'ready') done({ ports, stop });
    });
    void ended.then((code) => reject(new Error(`${program} ended with ${code}`)));
  });
}

const manyAtOnce = { ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT: '4096', ROUNDHOUSE_ENGINE_MAX_QUEUED: '8192' };

/** An engine with one model, on a Unix socket. */
export async function startEngine(models: string, model: string, gpuMemoryLimit: number) {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-bench-'));
  const socket = join(folder, 'engine.sock');
  const env = {
    ...fewHeaps,
    ROUNDHOUSE_MODELS_DIR: resolve(models),
    ROUNDHOUSE_ENGINE_MODELS: model,
    ROUNDHOUSE_ENGINE_SOCKET: socket,
    ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES: String(gpuMemoryLimit),
  };
  const engine = await start('services/inference-worker/engine/main.js', { ...manyAtOnce, ...env });
  const stop = async (): Promise<void> => {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { address: `unix:${socket}`, stop };
}

/** A worker's ports without Kafka, and an engine with one model behind them. */
export async function startServer(models: string, model: string, gpuMemoryLimit: number) {
  const anyPort = { HTTP: '0', GRPC: '0', KSERVE_HTTP: '0', METRICS: '0' };
  const ports = Object.fromEntries(
    Object.entries(anyPort).map(([name, port]) => [`ROUNDHOUSE_WORKER_${name}_PORT`, port]),
  );
  const env = {
    ROUNDHOUSE_MODELS_DIR: resolve(models),
    ROUNDHOUSE_ENGINE_MODELS: model,
    ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES: String(gpuMemoryLimit),
  };
  const server = await start('services/inference-worker/serve-models/main.js', {
    ...manyAtOnce,
    ...ports,
    ...env,
  });
  return { url: `127.0.0.1:${server.ports['kserveHttp']}`, stop: () => server.stop() };
}
