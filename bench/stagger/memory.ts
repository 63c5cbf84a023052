import { join } from 'node:path';
import { quantile } from '#policy/simulation/statistics';
import { EngineService } from '#lib/engine-client/engine-service';
import { gpuMemoryUsed } from './gpu-memory-used';
import { play } from './play';
import type { StaggerOptions } from './options';
import { makeRepository } from './repository';
import { runKinds } from './run-kinds';
import { keptTemplates } from './templates';
import type { TracedShard } from './trace';
import { startWorkerEngines, type WorkerEngines } from './worker-engines';

const modelCount = 6;
const repeats = 20;
const names = Array.from({ length: modelCount }, (_, number) => `model_${number}`);
/** Of the networks' plans: the smallest and the largest of the usual sizes, so that they are built in seconds. */
const batchSizes = [256, 65_536];

interface MemoryRun {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** Until all models are loaded. */
  readonly loadSeconds: number;
  /** As the engine says: bytes and peaks of each GPU. */
  readonly gpus: readonly object[];
  /** As the driver says, of the first GPU, whoever holds it; null where there is none. */
  readonly usedBytes: number | null;
}

async function gpuMemory({ engines }: WorkerEngines): Promise<readonly object[]> {
  const service = new EngineService(engines.address()!);
  try {
    return (await service.ask<{ gpus: readonly object[] }>('Memory', 5_000)).gpus;
  } finally {
    service.close();
  }
}

async function runWith(
  trace: readonly TracedShard[],
  env: Readonly<Record<string, string>>,
): Promise<MemoryRun> {
  const began = performance.now();
  const worker = await startWorkerEngines(env);
  const loadSeconds = Number(((performance.now() - began) / 1_000).toFixed(1));
  console.error(`all models are loaded after ${loadSeconds} s`);
  try {
    const { placement } = worker;
    await play(trace.slice(0, 2 * modelCount), { placement });
    const played = await play(trace, { placement });
    const took = played
      .filter(({ status }) => status === 'solved')
      .map(({ endMs, shard }) => endMs - shard.atMs);
    return {
      p50Ms: Number(quantile(took, 0.5).toFixed(2)),
      p99Ms: Number(quantile(took, 0.99).toFixed(2)),
      failed: played.length - took.length,
      loadSeconds,
      gpus: await gpuMemory(worker),
      usedBytes: gpuMemoryUsed(),
    };
  } finally {
    await worker.stop();
  }
}

/** Six models with networks of their own, which have one arena for their activations, or one for each context. */
function repositoryOf(folder: string, { heavy, kinds }: StaggerOptions, sharedArena: boolean): string {
  const way = runKinds(kinds).at(-1)!.way;
  const parameters = {
    precision: 'fp32',
    batch_sizes: batchSizes.join(' '),
    shared_arena: String(sharedArena),
    ...way.parameters,
  };
  return makeRepository(
    join(folder, sharedArena ? 'shared' : 'own'),
    names.map((name, seed) => ({ name, hidden: heavy, ladderSeed: seed, way: { ...way, parameters } })),
  );
}

function traceOf(options: StaggerOptions): readonly TracedShard[] {
  const { least, factor, bundleOrders, seed, perOrder, templates: folder } = options;
  const templates = keptTemplates(folder, least, factor, seed, bundleOrders, perOrder.at(-1)!);
  const sizes = templates.map(({ size }) => size);
  console.error(`shards of ${Math.min(...sizes)} to ${Math.max(...sizes)} candidates`);
  return Array.from({ length: repeats * modelCount }, (_, number) => ({
    id: `0/${number}/0`,
    atMs: number,
    deadlineMs: 60_000,
    model: names[number % modelCount]!,
    template: templates[number % templates.length]!,
  }));
}

/** Six models on one device: with an arena each, with one for all, and with that within limits of the device's memory. */
export async function memory(folder: string, options: StaggerOptions): Promise<object> {
  const { heavy, engines, gpuMemoryLimits } = options;
  const wanted = heavy[0]! * heavy.length * batchSizes.at(-1)! * Float32Array.BYTES_PER_ELEMENT;
  console.error(`${modelCount} models, ${(wanted / 1e9).toFixed(2)} GB of activations for a call each`);
  const trace = traceOf(options);
  const envOf = (sharedArena: boolean): Record<string, string> => ({
    ROUNDHOUSE_MODELS_DIR: repositoryOf(folder, options, sharedArena),
    ROUNDHOUSE_ENGINES: engines[0]!,
    ROUNDHOUSE_SCHEDULER: 'staggered',
  });
  const shared = envOf(true);
  const ways: (readonly [string, Readonly<Record<string, string>>])[] = [
    ['oneArena', shared],
    ...gpuMemoryLimits.map(
      (bytes) =>
        [`within ${bytes}`, { ...shared, ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES: String(bytes) }] as const,
    ),
    ['ownArenas', envOf(false)],
  ];
  const runs: Record<string, MemoryRun> = {};
  for (const [name, env] of ways) {
    runs[name] = await runWith(trace, env);
    console.error(`${name}: ${JSON.stringify(runs[name])}`);
  }
  return { models: modelCount, shards: trace.length, activationBytesOfACall: wanted, runs };
}
