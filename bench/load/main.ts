import { setTimeout as sleep } from 'node:timers/promises';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { runCommand } from '#lib/command-line';
import { connectBus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import { topicsOf } from '#schemas/topics';
import { DecisionLog } from '../pipeline/decision-log';
import { denseRounds } from '../pipeline/dense-rounds';
import { bodyOf, submitSteadily, type RoundBody } from '../pipeline/load';
import { parseOptions, usage, type LoadBenchOptions } from './options';
import { isCarried, nextRate, saturatedOn, stepOf, type Step } from './step';
import { measureUsage } from './usage';

const note = (text: string): void => void process.stderr.write(`${text}\n`);
/** Behind the last deadline of a step: its decisions come, what expired is skipped. */
const settleMs = 2_000;

async function sweep(
  options: LoadBenchOptions,
  pipeline: Pipeline,
  rounds: readonly RoundBody[],
): Promise<Step[]> {
  const { logger } = createTelemetry({ service: 'bench', logLevel: 'warn' });
  const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'bench', logger });
  const log = new DecisionLog();
  await log.follow(bus, topicsOf());
  const { ingestUrl } = pipeline;
  const { deadlineMs, secondsEach, warmUpSeconds } = options;
  const submit = (roundsPerSecond: number, seconds: number) =>
    submitSteadily({
      ingestUrl,
      deadlineMs,
      log,
      rounds,
      roundsPerSecond,
      seconds,
      firstIndex: log.rounds.size,
    });
  await submit(options.rates?.[0] ?? options.start, warmUpSeconds);
  const steps: Step[] = [];
  for (let rate = nextRate(steps, options); rate !== null; rate = nextRate(steps, options)) {
    const used = measureUsage(pipeline);
    const from = performance.now();
    const submitted = await submit(rate, secondsEach);
    const usage = used();
    const seconds = (performance.now() - from) / 1_000;
    await sleep(deadlineMs + settleMs);
    const step = stepOf(
      rate,
      seconds,
      submitted.map((id) => log.rounds.get(id)!),
      usage,
    );
    steps.push(step);
    note(
      `  ${step.roundsPerSecond}/s: coverage ${step.coverageMean}, late ${step.late}, refused ${step.refused}, p99 ${step.decisionMsP99 ?? '–'} ms, ${usage.machineCores} cores`,
    );
  }
  await log.close();
  await bus.close();
  return steps;
}

function reportOf(options: LoadBenchOptions, steps: readonly Step[]): Record<string, unknown> {
  const carried = steps.filter(isCarried).at(-1) ?? null;
  const knee = steps.find((step) => !isCarried(step)) ?? null;
  const sum = (of: (step: Step) => number) => steps.reduce((total, step) => total + of(step), 0);
  return {
    carriedRoundsPerSecond: carried?.roundsPerSecond ?? null,
    kneeRoundsPerSecond: knee?.roundsPerSecond ?? null,
    saturatedOn: knee === null ? null : saturatedOn(knee),
    late: sum(({ late }) => late),
    undecided: sum(({ undecided }) => undecided),
    candidates: options.candidates,
    shards: options.shards,
    deadlineMs: options.deadlineMs,
    secondsEach: options.secondsEach,
    steps,
  };
}

/** Resolves to the exit code. */
async function bench(options: LoadBenchOptions): Promise<number> {
  note(`preparing rounds of ${options.candidates} candidates`);
  const rounds = (await denseRounds(options.seed, options.candidates)).map(bodyOf);
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const pipeline = await startPipeline({
    inheritedEnv: process.env,
    env: {
      ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD: `${Math.ceil(options.candidates / options.shards)}`,
      ROUNDHOUSE_LOG_LEVEL: 'warn',
    },
    abort: abort.signal,
  });
  process.once('SIGINT', () => void pipeline.stop().then(() => process.exit(130)));
  try {
    const report = reportOf(options, await sweep(options, pipeline, rounds));
    console.log(JSON.stringify(report));
    return report['late'] === 0 && report['undecided'] === 0 ? 0 : 1;
  } finally {
    await pipeline.stop();
  }
}

void runCommand({ usage, parse: parseOptions, run: bench });
