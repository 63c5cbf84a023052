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
import { atStatedTimes, meanReadyDay, withPredictedReady, type PrepPredictor } from './ready-knowledge';

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

/** Where a wait may be long, what a courier takes is decided when it picks up, unless the point says otherwise. */
const unknownDay = (day: Day): Day => ({ ...meanReadyDay(day), lateChanges: true });

/** The day in closed loop under the point's policy, in this process; `predict` where readiness isn't known. */
export async function sweepDay(
  { day, rules }: SweepDay,
  point: Point,
  predict: PrepPredictor | null,
): Promise<DayMetrics> {
  const planner = new RoutePlanner();
  const changed = pointDay(predict === null ? day : unknownDay(day), point);
  const dispatch = directDispatch({
    models,
    costShard: (shard) => planner.costShard(atStatedTimes(shard.tensors)),
  });
  const share = Number(point[preparationShare] ?? 1);
  const result = await simulateDay({
    day: changed,
    runId: 'sweep' as RunId,
    deadlineAt: () => Number.MAX_SAFE_INTEGER as UnixMs,
    dispatch: predict === null ? dispatch : withPredictedReady(dispatch, predict, share),
  });
  return dayMetrics(changed, result, rules);
}
