import {
  choiceSetting,
  commonSettings,
  dataPlaneSetting,
  flagSetting,
  folderSetting,
  integerSetting,
  loadConfig,
  portSetting,
  textSetting,
  topicSettings,
  type ConfigOf,
  type Env,
} from '#lib/config';
import { accessSettingsOf } from '#lib/access/access-settings';
import { auditSettings } from '#lib/audit';
import { remoteSettings } from './remote/remote-settings';
import { peerSettings } from './remote/ucx/ucx-settings';
import { schedulerNames } from './scheduling/make-scheduler';

export const workerSettings = {
  ...commonSettings,
  ...topicSettings,
  ...peerSettings,
  ...auditSettings,
  ...accessSettingsOf('WORKER'),
  ...remoteSettings,
  httpPort: portSetting('ROUNDHOUSE_WORKER_HTTP_PORT', 8090),
  grpcPort: portSetting('ROUNDHOUSE_WORKER_GRPC_PORT', 8001),
  kserveHttpPort: portSetting('ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT', 8000),
  metricsPort: portSetting('ROUNDHOUSE_WORKER_METRICS_PORT', 8002),
  /** The engine's, so that the protocol's edges refuse what it would. */
  engineMaxMessageBytes: integerSetting('ROUNDHOUSE_ENGINE_MAX_MESSAGE_BYTES', {
    default: 16_777_216,
    min: 1_024,
    max: 1_073_741_824,
  }),
  /** Of a request to the inference protocol over HTTP. */
  kserveMaxBodyBytes: integerSetting('ROUNDHOUSE_WORKER_KSERVE_MAX_BODY_BYTES', {
    default: 33_554_432,
    min: 1_024,
    max: 1_073_741_824,
  }),
  /** Uncommitted shards a partition, done in any order. */
  window: integerSetting('ROUNDHOUSE_WORKER_WINDOW', { default: 8, min: 1, max: 1_000 }),
  sessionTimeoutMs: integerSetting('ROUNDHOUSE_WORKER_SESSION_TIMEOUT_MS', {
    default: 10_000,
    min: 1_000,
    max: 600_000,
  }),
  /** A shard with less time than this until its deadline is late: its outcome would miss the close. */
  startMarginMs: integerSetting('ROUNDHOUSE_WORKER_START_MARGIN_MS', { default: 100, min: 0, max: 60_000 }),
  dataPlane: dataPlaneSetting,
  /** Shared memory with the engine; only what is written to is used. */
  dataPlanePoolBytes: integerSetting('ROUNDHOUSE_DATA_PLANE_POOL_BYTES', {
    default: 268_435_456,
    min: 1_048_576,
    max: 17_179_869_184,
  }),
  /** What happens to a small payload when no slot is free; larger ones wait. */
  dataPlaneWhenEmpty: choiceSetting('ROUNDHOUSE_DATA_PLANE_WHEN_EMPTY', ['wait', 'inline'], 'inline'),
  /** Engines, one for each entry: `auto`, or what ROUNDHOUSE_DEVICES may be, separated by semicolons (docs/gpu.md). */
  engines: textSetting('ROUNDHOUSE_ENGINES', {
    default: 'auto',
    pattern: /^(auto|cpu|\d{1,3}(,\d{1,3})*)(;(auto|cpu|\d{1,3}(,\d{1,3})*)){0,63}$/,
    limit: 'auto, cpu or numbers of GPUs, one engine each, separated by semicolons',
  }),
  /** Which shard starts when (docs/scheduling.md). */
  scheduler: choiceSetting('ROUNDHOUSE_SCHEDULER', schedulerNames, 'fifo'),
  /** Every phase of every shard is appended to it, one line each (docs/scheduling.md); empty: to none. */
  traceFile: textSetting('ROUNDHOUSE_TRACE_FILE', {
    default: '',
    pattern: /^.{0,1000}$/,
    limit: 'a path of at most 1000 characters',
  }),
  /** A second engine for each, warm, that takes over at once. */
  standby: flagSetting('ROUNDHOUSE_STANDBY', false),
  /** Resident, without the data plane's pool; 0: no limit. */
  engineMemoryLimitBytes: integerSetting('ROUNDHOUSE_ENGINE_MEMORY_LIMIT_BYTES', {
    default: 0,
    min: 0,
    max: 1_099_511_627_776,
  }),
  /** An engine may need so long for nothing, and work longer by what it is expected to take. */
  engineSilenceFloorMs: integerSetting('ROUNDHOUSE_ENGINE_SILENCE_FLOOR_MS', {
    default: 1_000,
    min: 50,
    max: 600_000,
  }),
  /** How long an open circuit waits before its first trial; each further one waits twice as long. */
  engineCircuitPauseMs: integerSetting('ROUNDHOUSE_ENGINE_CIRCUIT_PAUSE_MS', {
    default: 5_000,
    min: 10,
    max: 600_000,
  }),
  incidentFolder: folderSetting('ROUNDHOUSE_INCIDENT_DIR', '.roundhouse/incidents'),
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
