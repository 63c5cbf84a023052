import { quantile } from '#policy/simulation/statistics';
import { EngineService } from '#lib/engine-client/engine-service';
import { play } from './play';
import type { StaggerOptions } from './options';
import { makeRepository } from './repository';
import { runKinds } from './run-kinds';
import { keptTemplates } from './templates';
import type { TracedShard } from './trace';
import { startWorkerEngines, type WorkerEngines } from './worker-engines';

const modelCount = 6;
const repeats = 20;

interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** As the engine says: bytes and peaks of each GPU. */
  readonly gpus: readonly object[];
}

async function gpuMemory({ engines }: WorkerEngines): Promise<readonly object[]> {
  const service = new EngineService(engines.address()!);
  try {
    return (await service.ask<{ gpus: readonly object[] }>('Memory', 5_000)).gpus;
  } finally {
    service.close();
  }
}

async function latenciesOf(
  trace: readonly TracedShard[],
  env: Readonly<Record<string, string>>,
): Promise<Latencies> {
  const worker = await startWorkerEngines(env);
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
      gpus: await gpuMemory(worker),
    };
  } finally {
    await worker.stop();
  }
}

/** Six models on one device, with and without a limit of its memory. */
export async function memory(folder: string, options: StaggerOptions): Promise<object> {
  const { least, factor, bundleOrders, seed, heavy, engines, gpuMemoryLimit } = options;
  const { perOrder, templates: folderOfTemplates } = options;
  const names = Array.from({ length: modelCount }, (_, number) => `model_${number}`);
  const models = makeRepository(
    folder,
    names.map((name) => ({ name, hidden: heavy, way: runKinds(options.kinds).at(-1)!.way })),
  );
  const made = [least, factor, seed, bundleOrders, perOrder.at(-1)!] as const;
  const templates = keptTemplates(folderOfTemplates, ...made);
  const trace = Array.from({ length: repeats * modelCount }, (_, number) => ({
    id: `0/${number}/0`,
    atMs: number,
    deadlineMs: 60_000,
    model: names[number % modelCount]!,
    template: templates[number % templates.length]!,
  }));
  const env = {
    ROUNDHOUSE_MODELS_DIR: models,
    ROUNDHOUSE_ENGINES: engines[0]!,
    ROUNDHOUSE_SCHEDULER: 'staggered',
  };
  console.error(
    `${modelCount} models, ${trace.length} shards of up to ${Math.max(...templates.map(({ size }) => size))} candidates`,
  );
  const unlimited = await latenciesOf(trace, env);
  console.error(`without a limit: ${JSON.stringify(unlimited)}`);
  if (gpuMemoryLimit === 0) return { models: modelCount, unlimited };
  const limited = await latenciesOf(trace, {
    ...env,
    ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES: String(gpuMemoryLimit),
  });
  console.error(`with ${gpuMemoryLimit} bytes: ${JSON.stringify(limited)}`);
  return { models: modelCount, gpuMemoryLimit, unlimited, limited };
}
