import { join } from 'node:path';
import { dayMetrics } from '#policy/simulation/day-metrics';
import { insertionDispatch } from '#policy/simulation/insertion-dispatch';
import { naiveDispatch } from '#policy/simulation/naive-dispatch';
import { planMdrpDay, type PlannedDay } from '../../launcher/day/planned-day';
import { runDay } from '../../launcher/day/run-day';
import type { Pipeline } from '../../launcher/pipeline';
import { plannerDispatch, timedDay } from './direct-day';
import type { MdrpBenchOptions } from './options';
import { reportLine } from './report';

/** Where a day runs: through a pipeline, or in this process where there is none. */
export interface DayPlace {
  readonly pipeline: Pipeline | null;
  readonly signal: AbortSignal;
}

async function dispatched(plan: PlannedDay, { pipeline, signal }: DayPlace) {
  if (pipeline === null) return timedDay(plan, plannerDispatch());
  const { ingestUrl } = pipeline;
  const { result, totals } = await runDay(plan, {
    ingestUrl,
    deadlineMs: 10_000,
    signal,
    onReport: () => {},
  });
  return { result, ...totals };
}

/** One day, and beside it the baselines': a line of JSON. */
export async function benchDay(folder: string, options: MdrpBenchOptions, place: DayPlace): Promise<string> {
  const unsaved = await planMdrpDay(folder, options.roundMinutes, null, options);
  const out = options.out === null ? null : join(options.out, unsaved.day.name);
  const plan = await planMdrpDay(folder, options.roundMinutes, out, options);
  const naive = await timedDay(plan, naiveDispatch);
  const insertion = await timedDay(plan, insertionDispatch);
  const startedAt = performance.now();
  const run = await dispatched(plan, place);
  const seconds = (performance.now() - startedAt) / 1000;
  await plan.save(run.result);
  return reportLine({
    day: plan.day.name,
    f: options.roundMinutes,
    mode: place.pipeline === null ? 'direct' : 'pipeline',
    prepositioning: options.prepositioning,
    lateChanges: options.lateChanges,
    metrics: dayMetrics(plan.day, run.result, plan.rules),
    naive: dayMetrics(plan.day, naive.result, plan.rules),
    insertion: dayMetrics(plan.day, insertion.result, plan.rules),
    rounds: run.result.rounds,
    seconds,
    decisionMsP50: run.decisionMsP50,
    decisionMsP99: run.decisionMsP99,
  });
}
