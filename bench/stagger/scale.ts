import { oneRun, warm, type Run } from './one-run';
import type { StaggerOptions } from './options';
import { prepare, type Prepared } from './prepare';
import { candidatesOf, type TracedShard } from './trace';
import { startWorkerEngines } from './worker-engines';

const patientMs = 600_000;

interface OnEngines {
  readonly engines: string;
  readonly best: Run;
  readonly runs: readonly Run[];
  readonly killed: Run | null;
}

async function runsOn(
  engines: string,
  trace: readonly TracedShard[],
  prepared: Prepared,
  options: StaggerOptions,
): Promise<OnEngines> {
  const env = {
    ROUNDHOUSE_MODELS_DIR: prepared.models,
    ROUNDHOUSE_ENGINES: engines,
    ROUNDHOUSE_SCHEDULER: 'staggered',
  };
  const worker = await startWorkerEngines(env);
  const settings = { scheduler: 'staggered', warmUp: prepared.kinds } as const;
  try {
    await warm(worker.placement, trace);
    const runs: Run[] = [];
    for (let run = 0; run < options.runs; run += 1) runs.push(await oneRun(worker, trace, settings));
    const best = runs.reduce((most, one) => (one.makespanMs < most.makespanMs ? one : most));
    const killed = options.kill ? await oneRun(worker, trace, settings, best.makespanMs / 2) : null;
    return { engines, best, runs, killed };
  } finally {
    await worker.stop();
  }
}

/** The whole trace at once, with each set of engines: how much faster several of them are than the first. */
export async function scale(folder: string, options: StaggerOptions): Promise<object> {
  const prepared = prepare(folder, options);
  const trace = prepared.traceOf(0).map((shard) => ({ ...shard, deadlineMs: patientMs }));
  const results: (OnEngines & { readonly speedUp: number })[] = [];
  for (const engines of options.engines) {
    const figures = await runsOn(engines, trace, prepared, options);
    const { makespanMs, imbalance, threadBusy } = figures.best;
    const speedUp = Number(((results[0]?.best.makespanMs ?? makespanMs) / makespanMs).toFixed(3));
    const words = `${speedUp} times the first, imbalance ${imbalance}, thread ${threadBusy}`;
    console.error(`${engines}: ${makespanMs} ms, ${words}`);
    results.push({ ...figures, speedUp });
  }
  return { shards: trace.length, candidates: candidatesOf(trace), results };
}
