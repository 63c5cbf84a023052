import type { RoundId, RunId, TenantId, UnixMs, ZoneId } from '#schemas/brands';
import type { DecisionView, RoundView } from '#services/ops/rounds/round-view';

/** A round with a second for its decision, which came to ingest 20 ms before its manifest. */
export function buildRoundView(id: string, manifestAt: number, changes: Partial<RoundView> = {}): RoundView {
  return {
    tenantId: 'tenant' as TenantId,
    runId: 'run' as RunId,
    roundId: id as RoundId,
    zoneId: 'zone' as ZoneId,
    deadline: (manifestAt - 20 + 1_000) as UnixMs,
    couriers: 1,
    orders: 1,
    shards: 2,
    candidates: 4,
    receivedAt: manifestAt - 20,
    manifestAt,
    phases: {},
    traceId: null,
    decision: null,
    ...changes,
  };
}

/** Complete and in time. */
export function buildDecisionView(decidedAt: number, changes: Partial<DecisionView> = {}): DecisionView {
  return {
    decidedAt,
    closedAt: decidedAt - 5,
    phases: {},
    closedBy: 'complete',
    coverage: 1,
    assignments: 1,
    unassigned: {},
    shardFaults: {},
    outage: null,
    effort: 'full',
    ...changes,
  };
}
