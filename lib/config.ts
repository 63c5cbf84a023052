import { resolve } from 'node:path';
import { RoundhouseError, type Fault } from '#schemas/errors';
import { projectRoot } from '#schemas/project-root';
import { knownKeys } from './config-keys';
import { counted } from '#schemas/counted';
import { nearestName } from '#schemas/nearest-name';
import { shownText } from '#schemas/shown-text';

export type Env = Readonly<Record<string, string | undefined>>;

/** One setting: the environment key it comes from, its default, and how its text is read. */
export interface Setting<T> {
  readonly key: string;
  readonly fallback: string;
  /** The value, or what is allowed instead. */
  read(text: string): { readonly value: T } | { readonly limit: string };
}
export type ConfigSpec = Readonly<Record<string, Setting<unknown>>>;
export type ConfigOf<S extends ConfigSpec> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

export function integerSetting(
  key: string,
  limits: { readonly default: number; readonly min: number; readonly max: number },
): Setting<number> {
  const limit = `a whole number from ${limits.min} to ${limits.max}`;
  return {
    key,
    fallback: String(limits.default),
    read(text) {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= limits.min && value <= limits.max ? { value } : { limit };
    },
  };
}

/** null when the key is absent. */
function optional<T>(setting: Setting<T>): Setting<T | null> {
  return {
    key: setting.key,
    fallback: '',
    read: (text) => (text === '' ? { value: null } : setting.read(text)),
  };
}

export function portSetting(key: string, fallback: number): Setting<number> {
  return integerSetting(key, { default: fallback, min: 0, max: 65_535 });
}

export function textSetting(
  key: string,
  options: { readonly default: string; readonly pattern?: RegExp; readonly limit?: string },
): Setting<string> {
  const pattern = options.pattern ?? /^.{1,1000}$/;
  const limit = options.limit ?? 'text of 1 to 1000 characters';
  return {
    key,
    fallback: options.default,
    read: (text) => (pattern.test(text) ? { value: text } : { limit }),
  };
}

/** A folder; a relative path starts at the root of the project, wherever the process was started. */
export function folderSetting(key: string, fallback: string): Setting<string> {
  return {
    key,
    fallback,
    read(text) {
      const good = text.length <= 1_000 && !text.includes('\0');
      return good ? { value: resolve(projectRoot, text) } : { limit: 'a path of at most 1000 characters' };
    },
  };
}

export function choiceSetting<const C extends string>(
  key: string,
  choices: readonly C[],
  fallback: NoInfer<C>,
): Setting<C> {
  return {
    key,
    fallback,
    read(text) {
      const value = choices.find((choice) => choice === text);
      return value === undefined ? { limit: `one of ${choices.join(', ')}` } : { value };
    },
  };
}

export function flagSetting(key: string, fallback: boolean): Setting<boolean> {
  return {
    key,
    fallback: String(fallback),
    read(text) {
      if (text === 'true' || text === '1') return { value: true };
      if (text === 'false' || text === '0') return { value: false };
      return { limit: 'true or false' };
    },
  };
}

/** `host:port`, several separated by commas. */
export function brokersSetting(key: string, fallback: string): Setting<readonly string[]> {
  return {
    key,
    fallback,
    read(text) {
      const brokers = text.split(',').map((broker) => broker.trim());
      const good = brokers.every((broker) => /^[\w.-]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/.test(broker));
      return good ? { value: Object.freeze(brokers) } : { limit: 'host:port, several separated by commas' };
    },
  };
}

export function urlSetting(key: string, fallback: string, protocols: readonly string[]): Setting<string> {
  const limit = `a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return {
    key,
    fallback,
    read(text) {
      const url = URL.canParse(text) ? new URL(text) : null;
      return url !== null && protocols.includes(url.protocol) ? { value: text } : { limit };
    },
  };
}

/** What an unknown key holds is not known to be no secret. */
const notShown = '(not shown)';

function unknownKeyFaults(env: Env, valid: readonly string[]): Fault[] {
  return Object.keys(env)
    .filter((key) => key.startsWith('ROUNDHOUSE_') && !valid.includes(key))
    .map((key) => {
      const nearest = nearestName(key, valid);
      const limit = nearest === null ? 'a key listed in docs/configuration.md' : `did you mean ${nearest}?`;
      return { path: key, value: notShown, limit };
    });
}

/** Secrets in URLs stay out of messages, whatever is wrong with the URL. */
function masked(text: string): string {
  return shownText(text.replace(/(\/\/|^)[^]*@/, '$1***@'), 200);
}

function lineOf({ path, value, limit }: Fault): string {
  return value === notShown ? `  ${path}: ${limit}` : `  ${path}=${JSON.stringify(masked(value))}: ${limit}`;
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
    else faults.push({ path: setting.key, value: masked(text), limit: result.limit });
  }
  if (faults.length > 0) throw configError(faults);
  return Object.freeze(config) as ConfigOf<S>;
}

export function configError(faults: readonly Fault[]): RoundhouseError {
  return new RoundhouseError(
    'CONFIG_INVALID',
    `${counted(faults.length, 'fault')} in the configuration:\n${faults.map(lineOf).join('\n')}`,
    faults,
  );
}

/** How tensors get from the worker to its engine; control goes through gRPC either way. */
export const dataPlaneSetting = choiceSetting('ROUNDHOUSE_DATA_PLANE', ['shm', 'grpc'], 'shm');

/** What every service of ours reads. */
export const commonSettings = {
  brokers: brokersSetting('KAFKA_BROKERS', '127.0.0.1:9092'),
  redisUrl: urlSetting('REDIS_URL', 'redis://127.0.0.1:6379', ['redis:', 'rediss:']),
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
  maxMessageBytes: integerSetting('ROUNDHOUSE_MAX_MESSAGE_BYTES', {
    default: 8_388_608,
    min: 65_536,
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
