import {
  commonSettings,
  integerSetting,
  loadConfig,
  portSetting,
  topicSettings,
  type ConfigOf,
  type Env,
} from '#lib/config';

export const workerSettings = {
  ...commonSettings,
  ...topicSettings,
  httpPort: portSetting('ROUNDHOUSE_WORKER_HTTP_PORT', 8090),
  grpcPort: portSetting('ROUNDHOUSE_WORKER_GRPC_PORT', 8001),
  /** Uncommitted shards a partition, done in any order. */
  window: integerSetting('ROUNDHOUSE_WORKER_WINDOW', { default: 8, min: 1, max: 1_000 }),
  sessionTimeoutMs: integerSetting('ROUNDHOUSE_WORKER_SESSION_TIMEOUT_MS', {
    default: 10_000,
    min: 1_000,
    max: 600_000,
  }),
  /** A shard with less time than this until its deadline is late: its outcome would miss the close. */
  startMarginMs: integerSetting('ROUNDHOUSE_WORKER_START_MARGIN_MS', { default: 100, min: 0, max: 60_000 }),
  engineReadyTimeoutMs: integerSetting('ROUNDHOUSE_ENGINE_READY_TIMEOUT_MS', {
    default: 30_000,
    min: 100,
    max: 600_000,
  }),
} as const;

export type WorkerConfig = ConfigOf<typeof workerSettings>;

export function loadWorkerConfig(env: Env): WorkerConfig {
  return loadConfig(env, workerSettings);
}
