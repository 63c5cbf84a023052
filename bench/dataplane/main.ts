import { join } from 'node:path';
import { runCommand } from '#lib/command-line';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { connectEngine } from '#lib/engine-client/grpc';
import { ShmSession } from '#native/shm/shm-session';
import { sizeClasses } from '#native/shm/size-classes';
import { TritonServer } from '#native/triton/triton-server';
import { projectPath } from '#schemas/project-root';
import { startEngine } from '../engine-process';
import { inFolder } from '../in-folder';
import { measureInTurns, type Figures } from './measure';
import { parseOptions, usage, type Options } from './options';
import { makeRepository, model } from './repository';
import { connectRaw, SharedRegion } from './shared-region';
import { sustain } from './sustain';
import { grpcBytes, grpcShared, hotPath, hotPathCopied, inProcess, type Ends } from './ways';

const poolBytes = 1_073_741_824;
/** A request that waits counts with the room for its outputs, which is that of the largest answer seen. */
const manyAtOnce = {
  ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT: '2000',
  ROUNDHOUSE_ENGINE_MAX_QUEUED: '2000',
  ROUNDHOUSE_ENGINE_MAX_QUEUED_BYTES: String(2_000 * 4_194_304),
};
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
        Object.entries({ inProcess, grpcBytes, grpcShared, hotPath, hotPathCopied }).map(([name, way]) => [
          name,
          way(ends, bytes),
        ]),
      );
      cases.push(withRatios(bytes, concurrency, await measureInTurns(ways, concurrency, options.seconds)));
    }
  }
  return cases;
}

async function registerRegions(socket: string, { sizes, concurrencies }: Options) {
  const client = connectRaw(`unix:${socket}`);
  const regions = new Map<number, SharedRegion[]>();
  for (const bytes of sizes) {
    const count = Math.max(...concurrencies);
    const made = Array.from({ length: count }, () => SharedRegion.register(client, bytes));
    regions.set(bytes, await Promise.all(made));
  }
  const remove = (): void => {
    for (const region of [...regions.values()].flat()) region.remove();
    client.close();
  };
  return { regions: (bytes: number) => regions.get(bytes)!, remove };
}

async function measure(folder: string, options: Options): Promise<object> {
  const modelRepository = makeRepository(folder);
  const backendDirectory = projectPath('build/native/backends');
  const socket = join(folder, 'engine.sock');
  const local = await TritonServer.start({ coreLibrary: core, modelRepository, backendDirectory });
  await local.loadModel(model);
  const engine = await startEngine({ models: modelRepository, socket, env: manyAtOnce });
  const grpc = connectEngine({ address: `unix:${socket}` });
  const { regions, remove } = await registerRegions(socket, options);
  const classes = sizeClasses(poolBytes);
  const session = await ShmSession.open({ socketPath: dataPlaneSocket(socket), classes });
  try {
    const ends = { local, grpc, session, regions };
    const cases = await measureCases(ends, options);
    const { sustainSeconds, sustainRate } = options;
    if (sustainSeconds === 0) return { model, cases };
    const call = hotPath(ends, 4_096);
    return { model, cases, sustained: await sustain(call, sustainRate, sustainSeconds, engine.pid!) };
  } finally {
    remove();
    await session.close();
    await grpc.close();
    engine.kill('SIGTERM');
    await local.stop();
  }
}

async function main(options: Options): Promise<void> {
  console.log(JSON.stringify(await inFolder((folder) => measure(folder, options)), null, 2));
}

void runCommand({ usage, parse: parseOptions, run: main });
