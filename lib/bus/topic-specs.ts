import type { Topics } from '#schemas/topics';
import { DEAD_LETTER_HEADROOM_BYTES } from './dead-letters';

export interface TopicSpec {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly retentionMs: number;
  readonly maxMessageBytes: number;
}

export interface TopicSettings {
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly maxMessageBytes: number;
  readonly roundRetentionMs: number;
  readonly decisionRetentionMs: number;
  /** null: as long as the rounds, of which they are verbatim copies. */
  readonly deadLetterRetentionMs: number | null;
}

/**
 * Rounds, shards, outcomes, observations and dead letters carry coordinates or traces of persons: short
 * retention.
 */
export function topicSpecs(topics: Topics, settings: TopicSettings): TopicSpec[] {
  const { partitions, replicationFactor, maxMessageBytes } = settings;
  const spec = (topic: string, retentionMs: number): TopicSpec => {
    return { topic, partitions, replicationFactor, maxMessageBytes, retentionMs };
  };
  return [
    spec(topics.rounds, settings.roundRetentionMs),
    spec(topics.shards, settings.roundRetentionMs),
    spec(topics.outcomes, settings.roundRetentionMs),
    spec(topics.observations, settings.roundRetentionMs),
    spec(topics.decisions, settings.decisionRetentionMs),
    {
      ...spec(topics.deadLetters, settings.deadLetterRetentionMs ?? settings.roundRetentionMs),
      maxMessageBytes: maxMessageBytes + DEAD_LETTER_HEADROOM_BYTES,
    },
  ];
}

/** A segment is deleted only when its last record is too old: several segments a retention period. */
function segmentMs(retentionMs: number): number {
  return Math.max(30_000, Math.floor(retentionMs / 6));
}

export function topicConfigEntries(spec: TopicSpec): { name: string; value: string }[] {
  const entries = {
    'cleanup.policy': 'delete',
    'message.timestamp.type': 'LogAppendTime',
    'retention.ms': spec.retentionMs,
    'segment.ms': segmentMs(spec.retentionMs),
    'segment.bytes': 67_108_864,
    'max.message.bytes': spec.maxMessageBytes,
  };
  return Object.entries(entries).map(([name, value]) => ({ name, value: String(value) }));
}
