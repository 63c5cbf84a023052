import { join } from 'node:path';
import { dayMetrics } from '#policy/simulation/day-metrics';
import { naiveDispatch } from '#policy/simulation/naive-dispatch';
import { planMdrpDay, type PlannedDay } from '../../launcher/day/planned-day';
import { runDay } from '../../launcher/day/run-day';
import { startPipeline, type Pipeline } from '../../launcher/pipeline';
import { stopSignal } from '../../launcher/stop-signal';
import { plannerDispatch, timedDay } from './direct-day';
import { parseOptions, usage, type MdrpBenchOptions } from './options';
import { reportLine } from './report';

const signal = stopSignal();

async function dispatched(plan: PlannedDay, pipeline: Pipeline | null) {
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

async function benchDay(
  folder: string,
  options: MdrpBenchOptions,
  pipeline: Pipeline | null,
): Promise<string> {
  const unsaved = await planMdrpDay(folder, options.roundMinutes, null);
  const out = options.out === null ? null : join(options.out, unsaved.day.name);
  const plan = await planMdrpDay(folder, options.roundMinutes, out);
  const naive = await timedDay(plan, naiveDispatch);
  const startedAt = performance.now();
  const run = await dispatched(plan, pipeline);
  const seconds = (performance.now() - startedAt) / 1000;
  await plan.save(run.result);
  return reportLine({
    day: plan.day.name,
    f: options.roundMinutes,
    mode: pipeline === null ? 'direct' : 'pipeline',
    metrics: dayMetrics(plan.day, run.result, plan.rules),
    naive: dayMetrics(plan.day, naive.result, plan.rules),
    rounds: run.result.rounds,
    seconds,
    decisionMsP50: run.decisionMsP50,
    decisionMsP99: run.decisionMsP99,
  });
}

async function bench(options: MdrpBenchOptions): Promise<void> {
  const pipeline = options.pipeline
    ? await startPipeline({ inheritedEnv: process.env, abort: signal })
    : null;
  try {
    for (const folder of options.folders) {
      signal.throwIfAborted();
      console.log(await benchDay(folder, options, pipeline));
    }
  } finally {
    await pipeline?.stop();
  }
}

function fail(error: unknown, code: number): never {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(code);
}

let options: MdrpBenchOptions;
try {
  options = parseOptions(process.argv.slice(2));
} catch (error) {
  fail(`${(error as Error).message}\nusage: ${usage}`, 2);
}
bench(options).then(
  () => process.exit(0),
  (error: unknown) => fail(error, 1),
);
