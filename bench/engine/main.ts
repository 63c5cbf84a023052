import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberFlag, readFlags, runCommand } from '#lib/command-line';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { TritonServer } from '#native/triton/triton-server';
import { projectPath } from '#schemas/project-root';
import type { UnixMs } from '#schemas/brands';

const usage = `npm run --silent bench -- engine [--seconds 5] [--bytes 100000] [--concurrency 4]
  One JSON line. Echo requests of so many bytes, there and back: in this process, and through gRPC on the engine's
  Unix socket. CPU is that of the caller alone; in process that includes the core.`;

interface Options {
  readonly seconds: number;
  readonly bytes: number;
  readonly concurrency: number;
}

function parse(argv: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const given = readFlags(argv, { seconds: text, bytes: text, concurrency: text });
  return {
    seconds: numberFlag('seconds', given.seconds, { default: 5, min: 0.1, max: 3_600, whole: false }),
    bytes: 4 * Math.ceil(numberFlag('bytes', given.bytes, { default: 100_000, min: 4, max: 1e9 }) / 4),
    concurrency: numberFlag('concurrency', given.concurrency, { default: 4, min: 1, max: 1_000 }),
  };
}

const backends = projectPath('build/native/backends');
const core = projectPath('.roundhouse/toolchain/triton/nvidia_pytriton.libs/libtritonserver.so');
const config = `backend: "echo" max_batch_size: 8
input [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] allow_ragged_batch: true },
        { name: "control" data_type: TYPE_INT32 dims: [ 2 ] } ]
output [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ] dynamic_batching { }`;

function makeRepository(folder: string): string {
  mkdirSync(join(folder, 'models', 'echo', '1'), { recursive: true });
  writeFileSync(join(folder, 'models', 'echo', 'config.pbtxt'), config);
  return join(folder, 'models');
}

function inputsOf({ bytes }: Options) {
  return [
    { name: 'data', datatype: 'INT32' as const, shape: [1, bytes / 4], data: Buffer.alloc(bytes, 1) },
    { name: 'control', datatype: 'INT32' as const, shape: [1, 2], data: Buffer.alloc(8) },
  ];
}

async function measure({ seconds, concurrency }: Options, infer: () => Promise<void>) {
  const run = async (ms: number): Promise<number> => {
    const end = performance.now() + ms;
    let done = 0;
    const worker = async (): Promise<void> => {
      for (; performance.now() < end; done += 1) await infer();
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return done;
  };
  await run(1_000);
  const before = process.cpuUsage();
  const started = performance.now();
  const done = await run(seconds * 1_000);
  const elapsed = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: Math.round(done / elapsed), cpuUs: Math.round((user + system) / done) };
}

async function inProcess(modelRepository: string, options: Options) {
  const inputs = inputsOf(options);
  const server = await TritonServer.start({ coreLibrary: core, modelRepository, backendDirectory: backends });
  await server.loadModel('echo');
  const result = await measure(options, async () =>
    (await server.infer({ model: 'echo', inputs })).release(),
  );
  await server.stop();
  return result;
}

function startEngine(models: string, socket: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [projectPath('dist/services/inference-worker/engine/main.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'], ROUNDHOUSE_MODELS_DIR: models, ROUNDHOUSE_ENGINE_SOCKET: socket },
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)));
  });
}

async function overGrpc(models: string, socket: string, options: Options) {
  const child = await startEngine(models, socket);
  const client: EngineClient = connectEngine({ address: `unix:${socket}` });
  const request = { model: 'echo', version: '', requestId: '', inputs: inputsOf(options) };
  const result = await measure(options, async () => {
    await client.infer(request, (Date.now() + 10_000) as UnixMs);
  });
  await client.close();
  child.kill('SIGTERM');
  return result;
}

async function main(options: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-bench-'));
  try {
    const models = makeRepository(folder);
    const local = await inProcess(models, options);
    const grpc = await overGrpc(models, join(folder, 'engine.sock'), options);
    console.log(
      JSON.stringify({
        bytes: options.bytes,
        concurrency: options.concurrency,
        inProcessPerSecond: local.perSecond,
        inProcessCpuUs: local.cpuUs,
        grpcPerSecond: grpc.perSecond,
        grpcClientCpuUs: grpc.cpuUs,
        ratio: Number((local.perSecond / grpc.perSecond).toFixed(1)),
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void runCommand({ usage, parse, run: main });
