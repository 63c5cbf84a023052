import { RoundhouseError } from '#schemas/errors';
import { ArgumentsInvalid, parseStartArguments, usage, type StartArguments } from './day/arguments';
import { planDay, type PlannedDay } from './day/planned-day';
import { runDay } from './day/run-day';
import { failureText } from './failure-text';
import { GivenUp } from './given-up';
import { givenServers, startPipeline, type Pipeline } from './pipeline';
import { processEventLine } from './process-event-line';
import { endpointsText, servedPorts } from './serve';
import { Interrupted, stopSignal, untilAborted } from './stop-signal';
import { finalTable } from './terminal/final-table';
import { roundLine } from './terminal/round-line';
import { Terminal } from './terminal/terminal';

type Run = Exclude<StartArguments, { kind: 'help' }>;

const terminal = new Terminal(process.stdout);

function boot(args: Run, signal: AbortSignal, end: (reason: Error) => void): Promise<Pipeline> {
  terminal.status('starting broker, Redis, ingest, worker with its engine, aggregator');
  return startPipeline({
    inheritedEnv: process.env,
    abort: signal,
    ...givenServers(process.env),
    ...(args.kind === 'serve' ? { ports: servedPorts(process.env) } : {}),
    onEvent: (event) => {
      const line = processEventLine(event);
      if (event.kind === 'ready') terminal.status(line);
      else terminal.line(line);
      if (event.kind === 'gaveUp') end(new GivenUp(event));
    },
  });
}

async function dispatchDay(plan: PlannedDay, deadlineMs: number, pipeline: Pipeline, signal: AbortSignal) {
  const startedAt = Date.now();
  terminal.line(plan.title);
  const outcome = await runDay(plan, {
    ingestUrl: pipeline.ingestUrl,
    deadlineMs,
    signal,
    onReport: (report) => terminal.line(roundLine(report)),
  });
  terminal.line(`\n${finalTable(outcome, (Date.now() - startedAt) / 1000)}`);
  const saved = await plan.save(outcome.result);
  if (saved !== null) terminal.line(`  ${saved}`);
}

async function run(args: Run, asked: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([asked, lost.signal]);
  const plan = args.kind === 'serve' ? null : await planDay(args);
  const startedAt = Date.now();
  const pipeline = await boot(args, signal, (reason) => lost.abort(reason));
  try {
    terminal.line(`the pipeline is up after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    if (args.kind !== 'serve' && plan !== null)
      return await dispatchDay(plan, args.deadlineMs, pipeline, signal);
    terminal.line(endpointsText(pipeline));
    await untilAborted(signal);
  } finally {
    terminal.status('stopping');
    await pipeline.stop();
    terminal.line('stopped; nothing is left behind but the logs');
  }
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
