import type { Fault } from '#schemas/errors';
import { MAX_OUTCOME_BYTES, MESSAGE_ROOM_BYTES } from '#schemas/message-sizes';
import { nearestName } from '#schemas/nearest-name';
import { kafkaSettings } from './bus/kafka-settings';
import { configError, masked, notShown } from './config-error';
import { knownKeys } from './config-keys';
import { redisSettings } from './redis-settings';
import { serverTlsSettings } from './server-tls-settings';
import { tracingSettings } from './tracing/settings';
import {
  choiceSetting,
  folderSetting,
  integerSetting,
  optional,
  textSetting,
  type ConfigOf,
  type ConfigSpec,
} from './settings';

export { configError } from './config-error';
export * from './settings';

export type Env = Readonly<Record<string, string | undefined>>;

function unknownKeyFaults(env: Env, valid: readonly string[]): Fault[] {
  return Object.keys(env)
    .filter((key) => key.startsWith('ROUNDHOUSE_') && !valid.includes(key))
    .map((key) => {
      const nearest = nearestName(key, valid);
      const limit = nearest === null ? 'a key listed in docs/configuration.md' : `did you mean ${nearest}?`;
      return { path: key, value: notShown, limit };
    });
}

/**
 * Reads the settings of one process. Pure: the environment is an argument, the result is frozen. Throws
 * CONFIG_INVALID with every fault at once: values out of their limits and ROUNDHOUSE_* keys that no
 * process knows. An empty value counts as absent.
 */
export function loadConfig<S extends ConfigSpec>(env: Env, spec: S): ConfigOf<S> {
  const settings = Object.values(spec);
  const faults = unknownKeyFaults(env, [...new Set([...knownKeys, ...settings.map((s) => s.key)])]);
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(spec)) {
    const text = env[setting.key] || setting.fallback;
    const result = setting.read(text);
    if ('value' in result) config[name] = result.value;
    else
      faults.push({
        path: setting.key,
        value: setting.isSecret ? notShown : masked(text),
        limit: result.limit,
      });
  }
  if (faults.length > 0) throw configError(faults);
  return Object.freeze(config) as ConfigOf<S>;
}

/** How tensors get from the worker to its engine; control goes through gRPC either way. */
export const dataPlaneSetting = choiceSetting('ROUNDHOUSE_DATA_PLANE', ['shm', 'grpc'], 'shm');

/** What every service of ours reads. */
export const commonSettings = {
  ...kafkaSettings,
  ...redisSettings,
  ...serverTlsSettings,
  ...tracingSettings,
  topicPrefix: textSetting('ROUNDHOUSE_TOPIC_PREFIX', {
    default: '',
    pattern: /^[a-zA-Z0-9._-]{0,100}$/,
    limit: 'at most 100 letters, digits, dots, dashes and underscores',
  }),
  modelsDir: folderSetting('ROUNDHOUSE_MODELS_DIR', 'models'),
  logLevel: choiceSetting(
    'ROUNDHOUSE_LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
  ),
  startupTimeoutMs: integerSetting('ROUNDHOUSE_STARTUP_TIMEOUT_MS', {
    default: 60_000,
    min: 100,
    max: 3_600_000,
  }),
  bindHost: textSetting('ROUNDHOUSE_BIND_HOST', { default: '127.0.0.1' }),
  /** Where a process keeps its place in its consumer group for a restart after a crash. */
  stateFolder: folderSetting('ROUNDHOUSE_STATE_DIR', '.roundhouse/state'),
  maxClockSkewMs: integerSetting('ROUNDHOUSE_MAX_CLOCK_SKEW_MS', { default: 100, min: 1, max: 60_000 }),
} as const;

/** Settings of the topics: whoever comes first makes them (all services make them alike). */
export const topicSettings = {
  partitions: integerSetting('ROUNDHOUSE_PARTITIONS', { default: 4, min: 1, max: 1_000 }),
  replicationFactor: integerSetting('ROUNDHOUSE_REPLICATION_FACTOR', { default: 1, min: 1, max: 15 }),
  /** The largest outcome of a shard fits, or workers could not answer. */
  maxMessageBytes: integerSetting('ROUNDHOUSE_MAX_MESSAGE_BYTES', {
    default: 8_388_608,
    min: MAX_OUTCOME_BYTES + MESSAGE_ROOM_BYTES,
    max: 104_857_600,
  }),
  roundRetentionMs: integerSetting('ROUNDHOUSE_ROUND_RETENTION_MS', {
    default: 3_600_000,
    min: 60_000,
    max: 315_360_000_000,
  }),
  decisionRetentionMs: integerSetting('ROUNDHOUSE_DECISION_RETENTION_MS', {
    default: 86_400_000,
    min: 60_000,
    max: 315_360_000_000,
  }),
  /** Absent: as long as rounds. */
  deadLetterRetentionMs: optional(
    integerSetting('ROUNDHOUSE_DEAD_LETTER_RETENTION_MS', {
      default: 3_600_000,
      min: 60_000,
      max: 315_360_000_000,
    }),
  ),
} as const;
