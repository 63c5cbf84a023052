import { requireValue } from '#lib/bus/message-value';
import type { BusMessage } from '#lib/bus/port';
import type { ShardUse } from '#schemas/domain';
import { outageOf } from '#schemas/outage-mark';
import { readPhases } from '#schemas/phases';
import { readDecisionSummary, readRoundSummary, type DecisionSummary } from '#schemas/summaries';
import { headers as names } from '#schemas/topics';
import type { DecisionView, RoundView } from './round-view';

function timeIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null;
}

function traceIdIn(traceparent: string | undefined): string | null {
  return /^00-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1] ?? null;
}

function faultsOf(shards: readonly ShardUse[]): Record<string, number> {
  const faults: Record<string, number> = {};
  for (const { status, errorCode } of shards) {
    if (status === 'solved') continue;
    const fault = errorCode ?? status;
    faults[fault] = (faults[fault] ?? 0) + 1;
  }
  return faults;
}

/** Of a record of dispatch.rounds. Throws as a codec does. */
export function readManifest(message: BusMessage): RoundView {
  const { headers, timestamp } = message;
  return {
    ...readRoundSummary(requireValue(message)),
    receivedAt: timeIn(headers[names.receivedAt]),
    manifestAt: timestamp,
    phases: readPhases(headers[names.phases]),
    traceId: traceIdIn(headers[names.traceparent]),
    decision: null,
  };
}

export interface DecisionRecord {
  readonly summary: DecisionSummary;
  readonly view: DecisionView;
}

/** Of a record of dispatch.decisions. Throws as a codec does. */
export function readDecision(message: BusMessage): DecisionRecord {
  const { headers, timestamp: appendedAt } = message;
  const summary = readDecisionSummary(requireValue(message));
  const { deadline, closedBy, coverage, assignments, unassigned, shards } = summary;
  const view = {
    decidedAt: appendedAt,
    closedAt: timeIn(headers[names.closedAt]),
    phases: readPhases(headers[names.phases]),
    closedBy,
    coverage,
    assignments,
    unassigned,
    shardFaults: faultsOf(shards),
    outage: outageOf({ headers, appendedAt, deadline }) ?? null,
    effort: headers[names.effort] ?? 'full',
  };
  return { summary, view };
}
