import { ArgumentsInvalid } from '#lib/command-line';
import { RoundhouseError } from '#schemas/errors';
import { boot, notReady, untilServing } from './boot';
import { parseStartArguments, usage, type StartArguments } from './day/arguments';
import { dispatchDay } from './day/dispatch-day';
import { planDay } from './day/planned-day';
import { failureText, keptLogsText } from './failure-text';
import { GivenUp } from './given-up';
import type { Pipeline } from './pipeline';
import { endpointsText, servedPorts } from './serve';
import { Interrupted, stopSignal, untilAborted } from './stop-signal';
import { Terminal } from './terminal/terminal';

type Run = Exclude<StartArguments, { kind: 'help' }>;

const terminal = new Terminal(process.stdout);

/** A start that was broken off or failed leaves the terminal with a line of its own for what follows. */
async function booted(options: Parameters<typeof boot>[0]): Promise<Pipeline> {
  try {
    return await boot(options);
  } catch (error) {
    if (error instanceof Interrupted)
      terminal.line('stopped before the pipeline was up; nothing is left behind but the logs');
    else terminal.clear();
    throw error;
  }
}

/** Of a run that failed; empty while there are none. */
let keptLogs = '';
const logsAreKept = (logs: string): void => void (keptLogs = logs);

async function run(args: Run, asked: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([asked, lost.signal]);
  const plan = args.kind === 'serve' ? null : await planDay(args);
  const startedAt = Date.now();
  const pipeline = await booted({
    env: process.env,
    terminal,
    signal,
    ...(args.kind === 'serve' ? { ports: servedPorts(process.env) } : {}),
    onLost: (reason) => lost.abort(reason),
    onFailed: logsAreKept,
  });
  try {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    const until = plan === null ? '' : ' until the day is over (--serve keeps it up)';
    terminal.line(`the pipeline is up after ${seconds} s; the console${until}: ${pipeline.consoleUrl}`);
    const faults = await untilServing(pipeline, { terminal, signal });
    if (args.kind !== 'serve' && plan !== null) {
      if (faults.length > 0) throw notReady(faults);
      return await dispatchDay(plan, { pipeline, deadlineMs: args.deadlineMs, terminal, signal });
    }
    terminal.line(endpointsText(pipeline, process.env));
    for (const fault of faults) terminal.line(`\nNOT READY: ${fault}`);
    await untilAborted(signal);
  } catch (error) {
    if (!(error instanceof Interrupted)) {
      pipeline.keepLogs();
      logsAreKept(pipeline.logs);
    }
    throw error;
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
    if (keptLogs !== '') console.error(keptLogsText(keptLogs));
    if (error instanceof ArgumentsInvalid) console.error(`\n${usage}`);
    if (error instanceof GivenUp) return error.exitCode;
    const isInput =
      error instanceof RoundhouseError && ['MDRP_INVALID', 'CONFIG_INVALID'].includes(error.code);
    const isOfTheUser = error instanceof ArgumentsInvalid || isInput;
    return isOfTheUser ? 2 : 1;
  }
}

void main().then((code) => process.exit(code));
