import type { SchedulerName } from '#services/inference-worker/scheduling/make-scheduler';
import type { PredictionError } from '#policy/scheduling/cost-model';
import { meanErrors } from '#services/inference-worker/scheduling/scheduling-watch';
import { figuresOf, type RunFigures } from './figures';
import { play } from './play';
import type { TracedShard } from './trace';
import { startWorkerEngines, type WorkerEngines } from './worker-engines';

export interface RunSettings {
  readonly models: string;
  readonly engines: string;
  readonly scheduler: SchedulerName;
  /** Played first, not counted. */
  readonly warmUp: readonly TracedShard[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether engines let phases of a GPU take turns. */
  readonly turns?: boolean;
}

export interface Run extends RunFigures {
  /** Of the phases' times, over all models and devices. */
  readonly predictionError: Readonly<Record<string, number>>;
  readonly enginesLost: number;
}

/** Weighted by what was seen of each. */
function errorsByPhase(rows: readonly PredictionError[]): Record<string, number> {
  const sums = new Map<string, { error: number; observations: number }>();
  for (const { phase, meanError, observations } of meanErrors(rows)) {
    const sum = sums.get(phase) ?? { error: 0, observations: 0 };
    sums.set(phase, {
      error: sum.error + meanError * observations,
      observations: sum.observations + observations,
    });
  }
  const entries = [...sums].map(([phase, { error, observations }]) => [
    phase,
    Number((error / observations).toFixed(3)),
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}

/** Ends with its process group an engine that works. */
function killOne({ pids }: WorkerEngines): void {
  const pid = [...pids.values()].at(-1)!;
  console.error(`killing the engine ${pid}`);
  process.kill(pid, 'SIGKILL');
}

/** The trace with engines of its own; `killAtMs`: one of them is killed then. */
export async function oneRun(
  trace: readonly TracedShard[],
  { models, engines, scheduler, warmUp, env = {}, turns = false }: RunSettings,
  killAtMs?: number,
): Promise<Run> {
  const all = {
    ...env,
    ROUNDHOUSE_MODELS_DIR: models,
    ROUNDHOUSE_ENGINES: engines,
    ROUNDHOUSE_SCHEDULER: scheduler,
  };
  const worker = await startWorkerEngines(all, { ROUNDHOUSE_PHASE_TURNS: turns ? 'on' : 'off' });
  try {
    const { placement } = worker;
    for (const shard of warmUp) await play([shard], { placement });
    await play(warmUp, { placement });
    const meanwhile =
      killAtMs === undefined ? {} : { meanwhile: { atMs: killAtMs, act: () => killOne(worker) } };
    const played = await play(trace, { placement, ...meanwhile });
    const figures = figuresOf(played, placement.figures());
    return { ...figures, predictionError: errorsByPhase(placement.errors()), enginesLost: worker.losses() };
  } finally {
    await worker.stop();
  }
}
