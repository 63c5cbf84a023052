import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataPlaneSocket } from '#lib/engine-client/data-plane-socket';
import { connectEngine } from '#lib/engine-client/grpc';
import { ShmSession } from '#native/shm/shm-session';
import { sizeClasses } from '#native/shm/size-classes';
import { TritonServer } from '#native/triton/triton-server';
import { projectPath } from '#schemas/project-root';
import { makeRepository, model, startEngine } from './engine';
import { measureInTurns, type Figures } from './measure';
import { parseOptions, type Options } from './options';
import { sustain } from './sustain';
import { grpcBytes, hotPath, hotPathCopied, inProcess, type Ends } from './ways';

/**
 * bench -- dataplane [--sizes 4096,…] [--concurrency 1,16] [--seconds 2] [--sustain 60 --rate 6000]: one JSON
 * object. Round trips to a model that copies its input to its output: called in this process, and in an engine
 * through gRPC with the bytes in the message, through gRPC with the bytes in registered shared memory, and
 * through the hot path. All ways of a case are measured in turns.
 */
const poolBytes = 1_073_741_824;
const core = projectPath('.roundhouse/toolchain/triton/nvidia_pytriton.libs/libtritonserver.so');

interface Case extends Record<string, unknown> {
  readonly bytes: number;
  readonly concurrency: number;
}

function withRatios(bytes: number, concurrency: number, figures: ReadonlyMap<string, Figures>): Case {
  const p50 = (way: string): number => figures.get(way)!.p50Us;
  const ratio = (a: number, b: number): number => Number((a / b).toFixed(2));
  return {
    bytes,
    concurrency,
    ...Object.fromEntries(figures),
    hotPathToInProcess: ratio(p50('hotPath'), p50('inProcess')),
    grpcToHotPath: ratio(p50('grpcBytes'), p50('hotPath')),
    grpcToInProcess: ratio(p50('grpcBytes'), p50('inProcess')),
  };
}

async function measureCases(ends: Ends, options: Options): Promise<Case[]> {
  const cases: Case[] = [];
  for (const bytes of options.sizes) {
    for (const concurrency of options.concurrencies) {
      const ways = new Map(
        Object.entries({ inProcess, grpcBytes, hotPath, hotPathCopied }).map(([name, way]) => [
          name,
          way(ends, bytes),
        ]),
      );
      cases.push(withRatios(bytes, concurrency, await measureInTurns(ways, concurrency, options.seconds)));
    }
  }
  return cases;
}

async function main(options: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-bench-'));
  try {
    const modelRepository = makeRepository(folder);
    const backendDirectory = projectPath('build/native/backends');
    const local = await TritonServer.start({ coreLibrary: core, modelRepository, backendDirectory });
    await local.loadModel(model);
    const socket = join(folder, 'engine.sock');
    const engine = await startEngine(modelRepository, socket);
    const grpc = connectEngine({ address: `unix:${socket}` });
    const session = await ShmSession.open({
      socketPath: dataPlaneSocket(socket),
      classes: sizeClasses(poolBytes),
    });
    const ends = { local, grpc, session };
    const cases = await measureCases(ends, options);
    const { sustainSeconds, sustainRate } = options;
    const sustained =
      sustainSeconds === 0
        ? undefined
        : await sustain(hotPath(ends, 4_096), sustainRate, sustainSeconds, engine.pid!);
    console.log(JSON.stringify({ model, cases, sustained }, null, 2));
    await session.close();
    await grpc.close();
    engine.kill('SIGTERM');
    await local.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void main(parseOptions(process.argv.slice(2)));
