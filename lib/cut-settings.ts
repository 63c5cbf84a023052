import { integerSetting } from './config';

/** The limits with which rounds are cut into shards, wherever that is done. */
export const cutSettings = {
  maxCandidates: integerSetting('ROUNDHOUSE_INGEST_MAX_CANDIDATES', {
    default: 200_000,
    min: 1,
    max: 10_000_000,
  }),
  /** A shard aims at so many, and at more where the round would have more shards than the next setting. */
  candidatesPerShard: integerSetting('ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD', {
    default: 500,
    min: 1,
    max: 12_000,
  }),
  /** Above this only as far as the limits of a shard's bytes and of its outcome's need it. */
  shardsPerRound: integerSetting('ROUNDHOUSE_INGEST_SHARDS_PER_ROUND', { default: 32, min: 1, max: 4_096 }),
  maxShardBytes: integerSetting('ROUNDHOUSE_INGEST_MAX_SHARD_BYTES', {
    default: 512 * 1024,
    min: 16 * 1024,
    max: 4 * 1024 * 1024,
  }),
} as const;
