import { prepare } from './compare';
import { oneRun, type Run } from './one-run';
import type { StaggerOptions } from './options';
import { candidatesOf } from './trace';

const patientMs = 600_000;

/** The whole trace at once, with each set of engines: how much faster several of them are than the first. */
export async function scale(folder: string, options: StaggerOptions): Promise<object> {
  const prepared = prepare(folder, options);
  const trace = prepared.traceOf(0).map((shard) => ({ ...shard, deadlineMs: patientMs }));
  const results: { engines: string; best: Run; speedUp: number; runs: Run[]; killed: Run | null }[] = [];
  for (const engines of options.engines) {
    const settings = {
      models: prepared.models,
      engines,
      scheduler: 'staggered',
      warmUp: prepared.kinds,
    } as const;
    const runs: Run[] = [];
    for (let run = 0; run < options.runs; run += 1) runs.push(await oneRun(trace, settings));
    const best = runs.reduce((most, one) => (one.makespanMs < most.makespanMs ? one : most));
    const speedUp = Number(((results[0]?.best ?? best).makespanMs / best.makespanMs).toFixed(3));
    console.error(
      `${engines}: ${best.makespanMs} ms, ${speedUp} times the first, imbalance ${best.imbalance}`,
    );
    const killed = options.kill ? await oneRun(trace, settings, best.makespanMs / 2) : null;
    results.push({ engines, best, speedUp, runs, killed });
  }
  return { shards: trace.length, candidates: candidatesOf(trace), results };
}
