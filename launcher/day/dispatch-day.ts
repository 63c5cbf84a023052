import type { Pipeline } from '../pipeline';
import { finalTable } from '../terminal/final-table';
import { legend, roundLine } from '../terminal/round-line';
import type { Terminal } from '../terminal/terminal';
import { dayFailure } from './day-failure';
import { lostEngines } from './lost-engines';
import type { PlannedDay } from './planned-day';
import { runDay } from './run-day';

interface DayPlace {
  readonly pipeline: Pipeline;
  readonly deadlineMs: number;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** A line a round and a table at the end. Rejects where the pipeline did not solve the day. */
export async function dispatchDay(plan: PlannedDay, place: DayPlace): Promise<void> {
  const { pipeline, deadlineMs, terminal, signal } = place;
  const startedAt = Date.now();
  terminal.line(`${plan.title}\n${legend}`);
  const outcome = await runDay(plan, {
    ingestUrl: pipeline.ingestUrl,
    deadlineMs,
    signal,
    onReport: (report) => terminal.line(roundLine(report)),
  });
  const wallSeconds = (Date.now() - startedAt) / 1_000;
  const workers = pipeline.processes().filter(({ name }) => name.startsWith('worker'));
  const enginesLost = await lostEngines(workers);
  terminal.line(`\n${finalTable({ outcome, rules: plan.rules, wallSeconds, enginesLost })}`);
  const saved = await plan.save(outcome.result);
  if (saved !== null) terminal.line(`  ${saved}`);
  const failure = dayFailure(outcome.totals, outcome.metrics.delivered);
  if (failure !== null) throw new Error(`${failure}; the logs: ${pipeline.logs}`);
}
