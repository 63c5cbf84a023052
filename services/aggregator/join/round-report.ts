import { sampledTraceId } from '#lib/tracing/trace-context';
import type { Effort } from '#policy/join/decision-effort';
import type { Phases } from '#schemas/phases';
import type { DecisionSummary } from '../decide/decision-summary';
import type { AggregatorEvents, Outage } from '../events';
import { candidatesOf, type OpenRound } from './open-round';

export interface Decided {
  readonly bytes: Buffer;
  /** null for a decision that stood in the outbox. */
  readonly summary: DecisionSummary | null;
  readonly decideSeconds: number;
  readonly phases: Phases;
  /** Of what was decided here. */
  readonly effort: Effort;
}

export interface Acknowledged {
  readonly outage: Outage | null;
  /** To the deadline; below 0 after it. */
  readonly leftMs: number;
  readonly closeSeconds: number;
}

export function idsOf({ round }: OpenRound): { runId: string; roundId: string } {
  return { runId: round.runId, roundId: round.roundId };
}

/** Tells of a decision that was just acknowledged: events and spans. */
export function reportDecision(
  events: AggregatorEvents,
  open: OpenRound,
  decided: Decided,
  { outage, leftMs, closeSeconds }: Acknowledged,
): void {
  const { summary, decideSeconds, effort } = decided;
  const ids = { ...idsOf(open), traceId: sampledTraceId(open.parts.meta.traceparent) };
  const outageOrNone = outage ?? ('none' as const);
  const latencySeconds = latencyOf(open);
  events.DecisionPublished({ ...ids, inTime: leftMs >= 0, outage: outageOrNone, latencySeconds });
  recordSpans(open, decided, outageOrNone, closeSeconds);
  if (leftMs < 0 && outage === null) events.RoundDecidedLate({ ...idsOf(open), lateMs: -leftMs });
  if (summary === null) return;
  if (effort !== 'full')
    events.RoundDecidedInHaste({ ...idsOf(open), effort, candidates: candidatesOf(open) });
  events.RoundClosed({ ...ids, ...summary, outage: outageOrNone, leftMs, closeSeconds, decideSeconds });
}

function latencyOf({ parts }: OpenRound): number {
  const { receivedAt, acceptedAt } = parts.meta;
  return Math.max(0, Date.now() - (Number(receivedAt ?? acceptedAt) || acceptedAt)) / 1_000;
}

function recordSpans(
  { parts }: OpenRound,
  { summary, decideSeconds, phases, effort }: Decided,
  outage: string,
  closeSeconds: number,
): void {
  const claim = Math.min((phases['claim'] ?? 0) / 1_000, closeSeconds);
  const publish = Math.max(0, closeSeconds - decideSeconds - claim);
  parts.span?.decided(
    { decide: decideSeconds, claim, publish },
    {
      'roundhouse.effort': effort,
      'roundhouse.outage': outage,
      ...(summary !== null && {
        'roundhouse.closed_by': summary.closedBy,
        'roundhouse.coverage': summary.coverage,
        'roundhouse.assignments': summary.assignments,
      }),
    },
  );
}
