import { ArgumentsInvalid } from '#lib/command-line';
import { RoundhouseError } from '#schemas/errors';
import { parseStartArguments, usage, type StartArguments } from './day/arguments';
import { dayFailure } from './day/day-failure';
import { planDay, type PlannedDay } from './day/planned-day';
import { runDay } from './day/run-day';
import { failureText } from './failure-text';
import { GivenUp } from './given-up';
import { givenServers, startPipeline, type Pipeline } from './pipeline';
import { processEventLine } from './process-event-line';
import { untilReady } from './readiness';
import { endpointsText, servedPorts } from './serve';
import { Interrupted, stopSignal, untilAborted } from './stop-signal';
import { finalTable } from './terminal/final-table';
import { legend, roundLine } from './terminal/round-line';
import { Terminal } from './terminal/terminal';

type Run = Exclude<StartArguments, { kind: 'help' }>;

const terminal = new Terminal(process.stdout);

function boot(args: Run, signal: AbortSignal, end: (reason: Error) => void): Promise<Pipeline> {
  const given = givenServers(process.env);
  const { kafkaBrokers, redisUrl } = given;
  const broker = kafkaBrokers === undefined ? 'broker' : `(with Kafka at ${kafkaBrokers})`;
  const redis = redisUrl === undefined ? 'Redis' : '(with the Redis of REDIS_URL)';
  terminal.status(`starting ${broker}, ${redis}, ingest, worker with its engine, aggregator`);
  return startPipeline({
    inheritedEnv: process.env,
    abort: signal,
    ...given,
    ...(args.kind === 'serve' ? { ports: servedPorts(process.env) } : {}),
    onEvent: (event) => {
      const line = processEventLine(event);
      if (event.kind === 'ready' || event.kind === 'awaited') terminal.status(line);
      else terminal.line(line);
      if (event.kind === 'gaveUp') end(new GivenUp(event));
    },
  });
}

const readyWithinMs = 10_000;

/** What is still not ready, with the reasons; a day is not begun with it. */
function untilServing(pipeline: Pipeline, signal: AbortSignal): Promise<string[]> {
  return untilReady(() => pipeline.processes(), {
    timeoutMs: readyWithinMs,
    signal,
    onWait: (faults) => terminal.status(`not ready yet: ${faults.join(', ')}`),
  });
}

async function dispatchDay(plan: PlannedDay, deadlineMs: number, pipeline: Pipeline, signal: AbortSignal) {
  const startedAt = Date.now();
  terminal.line(`${plan.title}\n${legend}`);
  const outcome = await runDay(plan, {
    ingestUrl: pipeline.ingestUrl,
    deadlineMs,
    signal,
    onReport: (report) => terminal.line(roundLine(report)),
  });
  terminal.line(`\n${finalTable(outcome, plan.rules, (Date.now() - startedAt) / 1000)}`);
  const saved = await plan.save(outcome.result);
  if (saved !== null) terminal.line(`  ${saved}`);
  const failure = dayFailure(outcome.totals, outcome.metrics.delivered);
  if (failure !== null) throw new Error(`${failure}; the logs: ${pipeline.logs}`);
}

async function run(args: Run, asked: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([asked, lost.signal]);
  const plan = args.kind === 'serve' ? null : await planDay(args);
  const startedAt = Date.now();
  const pipeline = await boot(args, signal, (reason) => lost.abort(reason));
  try {
    terminal.line(`the pipeline is up after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    const faults = await untilServing(pipeline, signal);
    if (args.kind !== 'serve' && plan !== null) {
      if (faults.length > 0) throw notReady(faults, pipeline);
      return await dispatchDay(plan, args.deadlineMs, pipeline, signal);
    }
    terminal.line(endpointsText(pipeline));
    for (const fault of faults) terminal.line(`\nNOT READY: ${fault}`);
    await untilAborted(signal);
  } finally {
    terminal.status('stopping');
    await pipeline.stop();
    terminal.line('stopped; nothing is left behind but the logs');
  }
}

function notReady(faults: readonly string[], { logs }: Pipeline): RoundhouseError {
  const reasons = faults.map((fault) => `  ${fault}`).join('\n');
  const message = `no round could be decided, so none was sent:\n${reasons}\nThe logs: ${logs}`;
  return new RoundhouseError('DEPENDENCY_ABSENT', message);
}

async function main(): Promise<number> {
  try {
    const args = parseStartArguments(process.argv.slice(2));
    if (args.kind === 'help') terminal.line(usage);
    else await run(args, stopSignal());
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    console.error(failureText(error));
    if (error instanceof ArgumentsInvalid) console.error(`\n${usage}`);
    const isMdrp = error instanceof RoundhouseError && error.code === 'MDRP_INVALID';
    const isOfTheUser = error instanceof ArgumentsInvalid || isMdrp;
    return isOfTheUser ? 2 : 1;
  }
}

void main().then((code) => process.exit(code));
