import {
  commonSettings,
  configError,
  integerSetting,
  loadConfig,
  portSetting,
  topicSettings,
  type ConfigOf,
  type Env,
} from '#lib/config';
import { auditSettings } from '#lib/audit';
import { cutSettings } from '#lib/cut-settings';
import { deadlineAheadSetting } from '#lib/deadline-settings';
import { accessSettingsOf } from '#lib/access/access-settings';
import { MESSAGE_ROOM_BYTES } from '#schemas/message-sizes';

const mebibyte = 1024 * 1024;

export const ingestSettings = {
  ...commonSettings,
  ...topicSettings,
  ...accessSettingsOf('INGEST'),
  ...auditSettings,
  httpPort: portSetting('ROUNDHOUSE_INGEST_HTTP_PORT', 8080),
  grpcPort: portSetting('ROUNDHOUSE_INGEST_GRPC_PORT', 8081),
  maxBodyBytes: integerSetting('ROUNDHOUSE_INGEST_MAX_BODY_BYTES', {
    default: 8 * mebibyte,
    min: 1_024,
    max: 64 * mebibyte,
  }),
  bodyTimeoutMs: integerSetting('ROUNDHOUSE_INGEST_BODY_TIMEOUT_MS', {
    default: 10_000,
    min: 100,
    max: 300_000,
  }),
  maxCouriers: integerSetting('ROUNDHOUSE_INGEST_MAX_COURIERS', { default: 2_000, min: 1, max: 65_534 }),
  maxOrders: integerSetting('ROUNDHOUSE_INGEST_MAX_ORDERS', { default: 5_000, min: 1, max: 65_534 }),
  ...cutSettings,
  minLeadMs: integerSetting('ROUNDHOUSE_INGEST_MIN_LEAD_MS', { default: 150, min: 0, max: 60_000 }),
  maxDeadlineAheadMs: deadlineAheadSetting,
  publishTimeoutMs: integerSetting('ROUNDHOUSE_INGEST_PUBLISH_TIMEOUT_MS', {
    default: 10_000,
    min: 100,
    max: 120_000,
  }),
  claimTtlMs: integerSetting('ROUNDHOUSE_INGEST_CLAIM_TTL_MS', {
    default: 86_400_000,
    min: 60_000,
    max: 2_592_000_000,
  }),
  maxWaitMs: integerSetting('ROUNDHOUSE_INGEST_MAX_WAIT_MS', { default: 30_000, min: 0, max: 300_000 }),
  /** Streams of decisions, and requests that wait for one, at once; of a tenant a quarter, or what its quota says. */
  maxStreams: integerSetting('ROUNDHOUSE_INGEST_MAX_STREAMS', { default: 1_000, min: 1, max: 100_000 }),
  maxWaits: integerSetting('ROUNDHOUSE_INGEST_MAX_WAITS', { default: 10_000, min: 1, max: 100_000 }),
  decisionTtlMs: integerSetting('ROUNDHOUSE_INGEST_DECISION_TTL_MS', {
    default: 600_000,
    min: 1_000,
    max: 86_400_000,
  }),
  decisionCacheBytes: integerSetting('ROUNDHOUSE_INGEST_DECISION_CACHE_BYTES', {
    default: 32 * mebibyte,
    min: 64 * 1024,
    max: 1_024 * mebibyte,
  }),
} as const;

export type IngestConfig = ConfigOf<typeof ingestSettings>;

export function loadIngestConfig(env: Env): IngestConfig {
  const config = loadConfig(env, ingestSettings);
  const { maxShardBytes, maxMessageBytes } = config;
  const most = maxMessageBytes - MESSAGE_ROOM_BYTES;
  if (maxShardBytes > most) {
    const limit = `at most ${most} where ${ingestSettings.maxMessageBytes.key}=${maxMessageBytes}`;
    throw configError([{ path: ingestSettings.maxShardBytes.key, value: String(maxShardBytes), limit }]);
  }
  return config;
}
