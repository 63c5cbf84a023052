import type { RoundTrace } from '../pipeline/decision-log';
import { round } from '../pipeline/statistics';

/** Where a late round lost its time: ms before the deadline, negative behind it; null where it never happened. */
export interface LateRound {
  readonly submitted: number | null;
  readonly received: number | null;
  readonly shards: number | null;
  readonly manifest: number | null;
  readonly outcomes: number | null;
  readonly closed: number | null;
  readonly sent: number | null;
  readonly decided: number | null;
  readonly closedBy: string | null;
  readonly outage: string | null;
  readonly ingestMs: Readonly<Record<string, number>>;
  readonly aggregatorMs: Readonly<Record<string, number>>;
}

export function lateRoundOf(trace: RoundTrace): LateRound {
  const shards = [...trace.shards.values()];
  const left = (at: number | null): number | null =>
    at === null || !Number.isFinite(at) ? null : round(trace.deadline - at);
  const last = (times: readonly number[]): number | null => (times.length === 0 ? null : Math.max(...times));
  return {
    submitted: left(trace.submittedAt),
    received: left(trace.receivedAt),
    shards: left(last(shards.map(({ appendedAt }) => appendedAt))),
    manifest: left(trace.manifestAt),
    outcomes: left(last(shards.map(({ answeredAt }) => answeredAt))),
    closed: left(trace.closedAt),
    sent: left(trace.sentAt),
    decided: left(trace.decidedAt),
    closedBy: trace.closedBy,
    outage: trace.outage,
    ingestMs: trace.ingest,
    aggregatorMs: trace.aggregator,
  };
}
