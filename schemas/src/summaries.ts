import type { UnixMs, ZoneId } from './brands';
import { SchemaStore } from './codec/schema-store';
import { singleObjectCodec } from './codec/single-object';
import type { DecisionContent, RoundKey, ShardOutcome, ShardUse } from './domain';
import { projectPath } from './project-root';

/** What there is to say of a round without its orders, couriers and policy. */
export interface RoundSummary extends RoundKey {
  readonly zoneId: ZoneId;
  readonly deadline: UnixMs;
  readonly couriers: number;
  readonly orders: number;
  readonly shards: number;
  readonly candidates: number;
}

/** What there is to say of a decision without its plans. */
export interface DecisionSummary extends RoundKey {
  readonly zoneId: ZoneId;
  readonly deadline: UnixMs;
  readonly closedBy: DecisionContent['closedBy'];
  readonly coverage: number;
  readonly assignments: number;
  /** Orders that were left out, by reason. */
  readonly unassigned: Readonly<Record<string, number>>;
  readonly shards: readonly ShardUse[];
  readonly candidatesTotal: number;
  readonly candidatesArrived: number;
}

/** What there is to say of an outcome without its plans. */
export type OutcomeSummary = Pick<ShardOutcome, 'shardIndex' | 'candidateCount' | 'status' | 'errorCode'>;

const folder = projectPath('schemas', 'avro');
const ids = { tenantId: true, runId: true, roundId: true, zoneId: true, deadline: true } as const;

interface ReadManifest {
  readonly round: RoundKey & Pick<RoundSummary, 'zoneId' | 'deadline'> & { couriers: []; orders: [] };
  readonly shardCount: number;
  readonly shardCandidateCounts: readonly number[];
}
const manifests = singleObjectCodec<ReadManifest>(
  new SchemaStore(folder, 'rounds', {
    round: { ...ids, couriers: {}, orders: {} },
    shardCount: true,
    shardCandidateCounts: true,
  }),
);

type Counted = 'shards' | 'closedBy' | 'coverage' | 'candidatesTotal' | 'candidatesArrived' | 'unassigned';
interface ReadDecision extends RoundKey, Pick<DecisionSummary, 'zoneId' | 'deadline'> {
  readonly content: Pick<DecisionContent, Counted> & { readonly assignments: readonly object[] };
}
const decisions = singleObjectCodec<ReadDecision>(
  new SchemaStore(folder, 'decisions', {
    ...ids,
    content: {
      assignments: {},
      unassigned: { reason: true },
      shards: true,
      closedBy: true,
      coverage: true,
      candidatesTotal: true,
      candidatesArrived: true,
    },
  }),
);

const outcomes = singleObjectCodec<OutcomeSummary>(
  new SchemaStore(folder, 'outcomes', {
    shardIndex: true,
    candidateCount: true,
    status: true,
    errorCode: true,
  }),
);

/** Of a record of dispatch.outcomes. Throws as a codec does; the bytes are checked as a whole. */
export function readOutcomeSummary(bytes: Uint8Array): OutcomeSummary {
  return outcomes.decode(bytes);
}

/** Of a record of dispatch.rounds. Throws as a codec does; the bytes are checked as a whole. */
export function readRoundSummary(bytes: Uint8Array): RoundSummary {
  const { round, shardCount, shardCandidateCounts } = manifests.decode(bytes);
  const { couriers, orders, ...key } = round;
  return {
    ...key,
    couriers: couriers.length,
    orders: orders.length,
    shards: shardCount,
    candidates: shardCandidateCounts.reduce((sum, count) => sum + count, 0),
  };
}

/** Of a record of dispatch.decisions. Throws as a codec does; the bytes are checked as a whole. */
export function readDecisionSummary(bytes: Uint8Array): DecisionSummary {
  const { content, ...key } = decisions.decode(bytes);
  const unassigned: Record<string, number> = {};
  for (const { reason } of content.unassigned) unassigned[reason] = (unassigned[reason] ?? 0) + 1;
  return { ...key, ...content, assignments: content.assignments.length, unassigned };
}
