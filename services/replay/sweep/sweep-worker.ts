import { errorText } from '#lib/command-line';
import type { DayMetrics } from '#policy/simulation/day-metrics';
import type { Point } from './points';
import { byLocalNetwork } from './local-network';
import { byMean, type PrepPredictor, type Readiness } from './ready-knowledge';
import { openSweepDay, sweepDay, type SweepDay } from './sweep-day';

/** What a worker is asked: a day under a point. */
export interface SweepTask {
  readonly folder: string;
  readonly roundMinutes: number;
  readonly point: Point;
  readonly ready: Readiness;
  readonly modelsDir: string;
}

export type SweepAnswer =
  { readonly metrics: DayMetrics; readonly seconds: number } | { readonly error: string };

let network: Promise<PrepPredictor> | null = null;

async function predictorOf({ ready, modelsDir }: SweepTask): Promise<PrepPredictor | null> {
  if (ready === 'known') return null;
  return ready === 'mean' ? byMean : (network ??= byLocalNetwork(modelsDir));
}

const opened = new Map<string, Promise<SweepDay>>();

async function answer(task: SweepTask): Promise<SweepAnswer> {
  const { folder, roundMinutes, point } = task;
  const startedAt = performance.now();
  const day = opened.get(folder) ?? openSweepDay(folder, roundMinutes);
  opened.set(folder, day);
  try {
    const metrics = await sweepDay(await day, point, await predictorOf(task));
    return { metrics, seconds: Math.round(performance.now() - startedAt) / 1_000 };
  } catch (error) {
    return { error: errorText(error) };
  }
}

process.on('message', (task: SweepTask) => void answer(task).then((found) => process.send?.(found)));
process.on('disconnect', () => process.exit(0));
