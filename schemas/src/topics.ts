import type { RoundKey, ShardKey } from './domain';
import type { RoundId, RunId, ShardIndex, TenantId, ZoneId } from './brands';

export const topicNames = [
  'rounds',
  'shards',
  'outcomes',
  'decisions',
  'observations',
  'deadLetters',
] as const;
export type TopicName = (typeof topicNames)[number];
export type Topics = Readonly<Record<TopicName, string>>;

/** Topic names; a prefix sets deployments (and tests) apart on one broker. */
export function topicsOf(prefix = ''): Topics {
  return {
    rounds: `${prefix}dispatch.rounds`,
    shards: `${prefix}dispatch.shards`,
    outcomes: `${prefix}dispatch.outcomes`,
    decisions: `${prefix}dispatch.decisions`,
    observations: `${prefix}dispatch.observations`,
    deadLetters: `${prefix}dispatch.dead-letters`,
  };
}

/** Ids may hold any printable character, so the parts of a key are joined by the unit separator. */
const separator = '\u001f';

export function zoneKey(tenantId: TenantId, zoneId: ZoneId): string {
  return `${tenantId}${separator}${zoneId}`;
}
export function roundKey(key: RoundKey): string {
  return `${key.tenantId}${separator}${key.runId}${separator}${key.roundId}`;
}
export function shardKey(key: ShardKey): string {
  return `${roundKey(key)}${separator}${key.shardIndex}`;
}
/** What `shardKey` made; null for any other text. */
export function parseShardKey(text: string): ShardKey | null {
  const parts = text.split(separator);
  const [tenantId, runId, roundId, index] = parts;
  if (parts.length !== 4 || !/^\d{1,9}$/.test(index!)) return null;
  return {
    tenantId: tenantId as TenantId,
    runId: runId as RunId,
    roundId: roundId as RoundId,
    shardIndex: Number(index) as ShardIndex,
  };
}

/** Kafka header names. Timings, host, trace and outage marks stand in headers, never in records. */
export const headers = {
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  /** Unix ms at which ingest had the whole body of the round. */
  receivedAt: 'rh-received-at',
  /** Backend interval, Unix ns "start-end", on outcomes. */
  backendInterval: 'rh-backend-interval',
  host: 'rh-host',
  /** What the sender of a manifest or a decision took for its steps, ms; see `Phases`. */
  phases: 'rh-phases',
  /** `redis`, `kafka` or `aggregator` on a decision that came after an outage. */
  outage: 'rh-outage',
  /** `reduced` or `none` on a decision for which there was no time to put the full effort in. */
  effort: 'rh-effort',
  /** Unix ms at which the round was closed, on decisions. */
  closedAt: 'rh-closed-at',
  /** Unix ms by the broker's clock at which a decision was given to Kafka; see `outageOf`. */
  sentAt: 'rh-sent-at',
  /** On dead letters: code, message, and where the message came from. */
  deadLetterCode: 'rh-dead-letter-code',
  deadLetterReason: 'rh-dead-letter-reason',
  deadLetterTopic: 'rh-dead-letter-topic',
  deadLetterPartition: 'rh-dead-letter-partition',
  deadLetterOffset: 'rh-dead-letter-offset',
} as const;
