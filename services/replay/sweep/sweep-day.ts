import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { mdrpFiles } from '#policy/simulation/mdrp/instance';
import type { Day } from '#policy/simulation/day';
import { dayMetrics, type DayMetrics, type DayRules } from '#policy/simulation/day-metrics';
import { directDispatch } from '#policy/simulation/direct-dispatch';
import { simulateDay } from '#policy/simulation/simulate-day';
import { RoutePlanner } from '#native/planner/route-planner';
import type { RunId, UnixMs } from '#schemas/brands';
import { CANDIDATE_COST_MODEL } from '#schemas/tensors';
import { planMdrpDay } from '../../../launcher/day/planned-day';
import { readTableDay } from '../import/table-day';
import { pointDay, preparationShare } from './point-day';
import type { Point } from './points';
import { byMean, meanReadyDay, withPredictedReady, type PrepPredictor } from './ready-knowledge';

export interface SweepDay {
  readonly name: string;
  readonly day: Day;
  readonly rules: DayRules;
  /** What it was read from. */
  readonly files: readonly string[];
}

/** Tables say nothing of pay; these are the benchmark's. */
const tableRules: DayRules = {
  ...{ targetClickToDoor: 40, maximumClickToDoor: 90, payPerOrder: 10, guaranteedPayPerHour: 15 },
};

/** A folder of the MDRP format or of tables. Throws MDRP_INVALID or IMPORT_INVALID. */
export async function openSweepDay(folder: string, roundMinutes: number): Promise<SweepDay> {
  const name = basename(resolve(folder));
  if (existsSync(join(folder, 'orders.csv')) || existsSync(join(folder, 'orders.jsonl'))) {
    const { day, files } = readTableDay(folder);
    return { name, day, rules: tableRules, files: files.map((file) => join(folder, file)) };
  }
  const { day, rules } = await planMdrpDay(folder, roundMinutes, null);
  return { name, day, rules, files: mdrpFiles.map((file) => join(folder, file)) };
}

const models = [{ name: CANDIDATE_COST_MODEL, version: '0', contentHash: '0'.repeat(64) }];

/** A courier that comes too early waits, a meal that is ready too early gets cold: docs/mdrp.md. */
const SHARE_OF_MEAN = 0.9;

function shareOf(point: Point, predict: PrepPredictor): number {
  return Number(point[preparationShare] ?? (predict === byMean ? SHARE_OF_MEAN : 1));
}

/** The day in closed loop under the point's policy, in this process; `predict` where readiness isn't known. */
export async function sweepDay(
  { day, rules }: SweepDay,
  point: Point,
  predict: PrepPredictor | null,
): Promise<DayMetrics> {
  const planner = new RoutePlanner();
  const changed = pointDay(predict === null ? day : meanReadyDay(day), point);
  const dispatch = directDispatch({ models, costShard: (shard) => planner.costShard(shard.tensors) });
  const result = await simulateDay({
    day: changed,
    runId: 'sweep' as RunId,
    deadlineAt: () => Number.MAX_SAFE_INTEGER as UnixMs,
    dispatch: predict === null ? dispatch : withPredictedReady(dispatch, predict, shareOf(point, predict)),
  });
  return dayMetrics(changed, result, rules);
}
