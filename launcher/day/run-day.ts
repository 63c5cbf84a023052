import type { RunId, UnixMs, ZoneId } from '#schemas/brands';
import type { DayEvent, DayResult } from '#policy/simulation/day';
import { dayMetrics, type DayMetrics } from '#policy/simulation/day-metrics';
import { simulateDay } from '#policy/simulation/simulate-day';
import { RoundhouseClient } from '../../client';
import { DispatchedRounds, type RoundReport, type RoundTotals } from './dispatched-rounds';
import type { PlannedDay } from './planned-day';

/** Ingest takes a limited number in one request. */
const eventsAtOnce = 500;

interface DayRunOptions {
  readonly ingestUrl: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  onReport(report: RoundReport): void;
}

export interface DayOutcome {
  readonly result: DayResult;
  readonly metrics: DayMetrics;
  readonly totals: RoundTotals;
}

/** Drives a day through a running pipeline. Every run has an id of its own, so that rounds never meet. */
export async function runDay({ day, rules }: PlannedDay, options: DayRunOptions): Promise<DayOutcome> {
  const client = new RoundhouseClient({ url: options.ingestUrl, tenant: day.tenantId });
  const rounds = new DispatchedRounds(client, options.onReport, options.signal);
  const runId = `${day.name}-${Date.now().toString(36)}` as RunId;
  const result = await simulateDay({
    day,
    runId,
    dispatch: rounds.dispatch,
    deadlineAt: () => (Date.now() + options.deadlineMs) as UnixMs,
    signal: options.signal,
    onEvents: (events) => publishEvents(client, { runId, zoneId: day.zoneId }, events),
  });
  options.signal.throwIfAborted();
  return { result, metrics: dayMetrics(day, result, rules), totals: rounds.totals() };
}

/** What really happened goes to the observations topic, as from any producer. */
async function publishEvents(
  client: RoundhouseClient,
  where: { runId: RunId; zoneId: ZoneId },
  events: readonly DayEvent[],
): Promise<void> {
  for (let from = 0; from < events.length; from += eventsAtOnce) {
    await client.observe(events.slice(from, from + eventsAtOnce).map((event) => ({ ...where, ...event })));
  }
}
