import type { PredictionError } from '#policy/scheduling/cost-model';
import type { SchedulerFigures } from '#policy/scheduling/scheduler';
import type { WorkerEvents } from '../events';
import { schedulerDecisions } from './scheduling-events';

export interface Scheduled {
  figures(): SchedulerFigures;
  errors(): readonly PredictionError[];
}

const everyMs = 2_000;

/** The errors of all sizes of a model, by what was seen of each. */
export function meanErrors(
  rows: readonly PredictionError[],
): Omit<PredictionError, 'bucket' | 'msPerUnit'>[] {
  const sums = new Map<string, { row: PredictionError; observations: number; error: number; bias: number }>();
  for (const row of rows) {
    const key = `${row.deviceId} ${row.phase} ${row.model}`;
    const sum = sums.get(key) ?? { row, observations: 0, error: 0, bias: 0 };
    sum.observations += row.observations;
    sum.error += row.observations * row.meanError;
    sum.bias += row.observations * row.meanBias;
    sums.set(key, sum);
  }
  return [...sums.values()].map(({ row: { model, deviceId, phase }, observations, error, bias }) => {
    const [meanError, meanBias] = [error / observations, bias / observations];
    return { model, deviceId, phase, observations, meanError, meanBias };
  });
}

/** Puts what the scheduler has and has done into the worker's metrics. */
export class SchedulingWatch {
  private readonly timer: NodeJS.Timeout;
  private before = { started: 0, late: 0, unfit: 0 };

  constructor(
    private readonly scheduled: Scheduled,
    private readonly events: WorkerEvents,
  ) {
    this.timer = setInterval(() => this.look(), everyMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  look(): void {
    const { events } = this;
    const figures = this.scheduled.figures();
    for (const decision of schedulerDecisions) {
      const shards = figures[decision] - this.before[decision];
      if (shards > 0) events.SchedulerCounted({ decision, shards });
    }
    this.before = figures;
    events.SchedulerWaited({ shards: figures.waiting });
    events.SchedulerLoaded({ shards: figures.inFlight });
    events.PoolMeasured({ bytes: figures.poolBytes });
    events.PoolPeaked({ bytes: figures.poolPeakBytes });
    for (const [engine, bytes] of Object.entries(figures.arenaPeakBytes))
      events.ArenaPeaked({ engine, bytes });
    for (const { model, deviceId: engine, phase, meanError, meanBias } of meanErrors(
      this.scheduled.errors(),
    )) {
      events.PredictionMeasured({ model, engine, phase, error: meanError });
      events.PredictionBiased({ model, engine, phase, bias: meanBias });
    }
  }
}
