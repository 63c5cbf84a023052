import {
  choiceSetting,
  commonSettings,
  dataPlaneSetting,
  flagSetting,
  integerSetting,
  loadConfig,
  textSetting,
  type ConfigOf,
  type Env,
} from '#lib/config';

const name = '[A-Za-z0-9][A-Za-z0-9_.-]{0,99}';

/** Files and folders, read by whoever starts an engine; empty: none. */
const pathsSetting = (key: string) =>
  textSetting(key, {
    default: '',
    pattern: /^(\/[^:]*(:\/[^:]*)*)?$/,
    limit: 'paths that begin with /, separated by colons',
  });

const engineSettings = {
  logLevel: commonSettings.logLevel,
  modelsDir: commonSettings.modelsDir,
  toolchainDir: textSetting('ROUNDHOUSE_TOOLCHAIN_DIR', { default: '.roundhouse/toolchain' }),
  dataPlane: dataPlaneSetting,
  /** The path of a Unix socket; the kernel takes 107 bytes, and the data plane's ends with `.shm`. */
  socket: textSetting('ROUNDHOUSE_ENGINE_SOCKET', {
    default: '.roundhouse/run/engine.sock',
    pattern: /^.{1,103}$/,
    limit: 'a path of 1 to 103 bytes',
  }),
  /** `on`: what the kernel allows of it; `required`: all of it, or no engine. */
  confinement: choiceSetting('ROUNDHOUSE_ENGINE_CONFINEMENT', ['on', 'required', 'off'], 'on'),
  /** `own`: it opens no files but those of lib/engine-files.ts; `auto`: so where it has no GPU. Whoever starts it sees to that. */
  files: choiceSetting('ROUNDHOUSE_ENGINE_FILES', ['auto', 'own', 'any'], 'auto'),
  alsoRead: pathsSetting('ROUNDHOUSE_ENGINE_READS'),
  alsoWritten: pathsSetting('ROUNDHOUSE_ENGINE_WRITES'),
  /** Runs models of the Python backend. */
  python: textSetting('ROUNDHOUSE_PYTHON', { default: 'python3' }),
  /** GPUs that it uses: all, none, or those of these numbers (docs/gpu.md). */
  devices: textSetting('ROUNDHOUSE_DEVICES', {
    default: 'auto',
    pattern: /^(auto|cpu|\d{1,3}(,\d{1,3})*)$/,
    limit: 'auto, cpu, or numbers of GPUs, separated by commas',
  }),
  /** `on`: our backends take turns in the phases of a GPU; read by them, too. */
  phaseTurns: choiceSetting('ROUNDHOUSE_PHASE_TURNS', ['off', 'on'], 'off'),
  /** What our backends may hold of each GPU; 0: as much as there is. Read by them, too. */
  gpuMemoryLimitBytes: integerSetting('ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES', {
    default: 0,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  }),
  backendsDir: textSetting('ROUNDHOUSE_ENGINE_BACKENDS_DIR', { default: 'build/native/backends' }),
  /** Models to load, separated by commas; empty: all of the repository. The engine is ready when all are. */
  models: textSetting('ROUNDHOUSE_ENGINE_MODELS', {
    default: '',
    pattern: new RegExp(`^(${name}(,${name})*)?$`),
    limit: 'names of models, separated by commas',
  }),
  /** How often the repository is looked through for changes; 0: never, models are loaded when asked for. */
  modelsPollMs: integerSetting('ROUNDHOUSE_MODELS_POLL_MS', { default: 0, min: 0, max: 3_600_000 }),
  /** Of a request or an answer. */
  maxMessageBytes: integerSetting('ROUNDHOUSE_ENGINE_MAX_MESSAGE_BYTES', {
    default: 16_777_216,
    min: 1_024,
    max: 1_073_741_824,
  }),
  /** Requests whose buffers the core has, over all models; others wait. */
  maxInFlight: integerSetting('ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT', { default: 64, min: 1, max: 100_000 }),
  /** Of a model; no more than fill the next batch of each of its instances. */
  maxRunning: integerSetting('ROUNDHOUSE_ENGINE_MAX_RUNNING', { default: 64, min: 1, max: 100_000 }),
  /** Requests that wait; one more is refused as ENGINE_BUSY. */
  maxQueued: integerSetting('ROUNDHOUSE_ENGINE_MAX_QUEUED', { default: 256, min: 0, max: 100_000 }),
  maxQueuedBytes: integerSetting('ROUNDHOUSE_ENGINE_MAX_QUEUED_BYTES', {
    default: 268_435_456,
    min: 0,
    max: 17_179_869_184,
  }),
  /** Read by the backend fault_injection itself, which loads only then. */
  faultInjection: flagSetting('ROUNDHOUSE_FAULT_INJECTION', false),
} as const;

export type EngineConfig = ConfigOf<typeof engineSettings>;

export function loadEngineConfig(env: Env): EngineConfig {
  return loadConfig(env, engineSettings);
}
