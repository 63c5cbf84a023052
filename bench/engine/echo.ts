import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { TritonServer } from '#native/triton/triton-server';
import { projectPath } from '#schemas/project-root';
import type { UnixMs } from '#schemas/brands';
import { startEngine } from '../engine-process';
import { inFolder } from '../in-folder';

export interface EchoOptions {
  readonly seconds: number;
  readonly bytes: number;
  readonly concurrency: number;
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

function inputsOf({ bytes }: EchoOptions) {
  return [
    { name: 'data', datatype: 'INT32' as const, shape: [1, bytes / 4], data: Buffer.alloc(bytes, 1) },
    { name: 'control', datatype: 'INT32' as const, shape: [1, 2], data: Buffer.alloc(8) },
  ];
}

async function measure({ seconds, concurrency }: EchoOptions, infer: () => Promise<void>) {
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

async function inProcess(modelRepository: string, options: EchoOptions) {
  const inputs = inputsOf(options);
  const server = await TritonServer.start({ coreLibrary: core, modelRepository, backendDirectory: backends });
  await server.loadModel('echo');
  const result = await measure(options, async () =>
    (await server.infer({ model: 'echo', inputs })).release(),
  );
  await server.stop();
  return result;
}

async function overGrpc(models: string, socket: string, options: EchoOptions) {
  const child = await startEngine({ models, socket });
  const client: EngineClient = connectEngine({ address: `unix:${socket}` });
  const request = { model: 'echo', version: '', requestId: '', inputs: inputsOf(options) };
  const result = await measure(options, async () => {
    await client.infer(request, (Date.now() + 10_000) as UnixMs);
  });
  await client.close();
  child.kill('SIGTERM');
  return result;
}

/** Echo requests of so many bytes, there and back: in this process, and through gRPC on the engine's Unix socket. CPU is the caller's. */
export async function compareEcho(options: EchoOptions): Promise<void> {
  const [local, grpc] = await inFolder(async (folder) => {
    const models = makeRepository(folder);
    const inThisProcess = await inProcess(models, options);
    return [inThisProcess, await overGrpc(models, join(folder, 'engine.sock'), options)] as const;
  });
  const { bytes, concurrency } = options;
  console.log(
    JSON.stringify({
      bytes,
      concurrency,
      inProcessPerSecond: local.perSecond,
      inProcessCpuUs: local.cpuUs,
      grpcPerSecond: grpc.perSecond,
      grpcClientCpuUs: grpc.cpuUs,
      ratio: Number((local.perSecond / grpc.perSecond).toFixed(1)),
    }),
  );
}
