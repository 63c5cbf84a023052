import type { PredictionError } from '#policy/scheduling/cost-model';
import type { Placement } from '#services/inference-worker/placement/placement';
import type { SchedulerName } from '#services/inference-worker/scheduling/make-scheduler';
import { meanErrors } from '#services/inference-worker/scheduling/scheduling-watch';
import { figuresOf, type RunFigures } from './figures';
import { play, type Played } from './play';
import type { TracedShard } from './trace';
import type { WorkerEngines } from './worker-engines';

export interface RunSettings {
  readonly scheduler: SchedulerName;
  /** Played first, not counted. */
  readonly warmUp: readonly TracedShard[];
  readonly onPlayed?: ((played: readonly Played[]) => void) | undefined;
}

export interface Run extends RunFigures {
  /** Of the phases' times, over all models and devices. */
  readonly predictionError: Readonly<Record<string, number>>;
  readonly enginesLost: number;
  /** The share of the time that the worker's thread had something to do. */
  readonly threadBusy: number;
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

const warmShards = 10_000;
const mostWarmMs = 4_000;

/** Until code is compiled and memory is there: the first thousands of shards cost the worker several times the others. */
export async function warm(placement: Placement, trace: readonly TracedShard[]): Promise<void> {
  const began = performance.now();
  for (let shards = 0; shards < warmShards && performance.now() - began < mostWarmMs; shards += trace.length)
    await play(trace, { placement });
}

/** The trace by a scheduler of its own; `killAtMs`: an engine is killed then. */
export async function oneRun(
  worker: WorkerEngines,
  trace: readonly TracedShard[],
  { scheduler, warmUp, onPlayed }: RunSettings,
  killAtMs?: number,
): Promise<Run> {
  const placement = worker.placedBy(scheduler);
  for (const shard of warmUp) await play([shard], { placement });
  await play(warmUp, { placement });
  const lostBefore = worker.losses();
  const meanwhile =
    killAtMs === undefined ? {} : { meanwhile: { atMs: killAtMs, act: () => killOne(worker) } };
  const before = performance.eventLoopUtilization();
  const played = await play(trace, { placement, ...meanwhile });
  const threadBusy = Number(performance.eventLoopUtilization(before).utilization.toFixed(3));
  onPlayed?.(played);
  return {
    ...figuresOf(played, placement.figures()),
    predictionError: errorsByPhase(placement.errors()),
    enginesLost: worker.losses() - lostBefore,
    threadBusy,
  };
}
