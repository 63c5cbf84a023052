import type { DecisionContent, RoundKey } from '#schemas/domain';
import { noticeMs } from '#policy/operations/rounds-at-risk';
import type { Phases } from '#schemas/phases';
import type { RoundSummary } from '#schemas/summaries';

/** How a round was decided. Times are Unix ms. */
export interface DecisionView {
  /** The broker's append time: what the deadline is held against. */
  readonly decidedAt: number;
  /** When the aggregator had closed the round; null where its record doesn't say. */
  readonly closedAt: number | null;
  readonly phases: Phases;
  readonly closedBy: DecisionContent['closedBy'];
  readonly coverage: number;
  readonly assignments: number;
  readonly unassigned: Readonly<Record<string, number>>;
  /** Shards that were not solved, by error code or, without one, status. */
  readonly shardFaults: Readonly<Record<string, number>>;
  readonly outage: string | null;
  readonly effort: string;
}

/** A round from its manifest on. Times are Unix ms. */
export interface RoundView extends RoundSummary {
  /** When ingest had its body; null where its record doesn't say. */
  readonly receivedAt: number | null;
  readonly manifestAt: number;
  /** Of ingest. */
  readonly phases: Phases;
  readonly traceId: string | null;
  readonly decision: DecisionView | null;
}

/** `partial`: in time, of what had come; `late`: after its deadline; `lost`: long overdue without a decision. */
export type RoundState = 'waiting' | 'overdue' | 'lost' | 'complete' | 'partial' | 'late';

/** So long after its deadline a round without a decision counts as waiting. */
export const lostAfterMs = 600_000;

export function roundState({ deadline, decision }: RoundView, now: number): RoundState {
  if (decision !== null) {
    if (decision.decidedAt > deadline) return 'late';
    return decision.closedBy === 'complete' && decision.coverage === 1 ? 'complete' : 'partial';
  }
  if (now <= deadline + noticeMs) return 'waiting';
  return now <= deadline + lostAfterMs ? 'overdue' : 'lost';
}

/** Milliseconds from the round's body to its decision; null while there is none. */
export function decisionMs({ receivedAt, manifestAt, decision }: RoundView): number | null {
  return decision === null ? null : Math.max(0, decision.decidedAt - (receivedAt ?? manifestAt));
}

export type RoundId = Pick<RoundKey, 'tenantId' | 'runId' | 'roundId'>;
