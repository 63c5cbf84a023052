import {
  commonSettings,
  integerSetting,
  loadConfig,
  portSetting,
  type ConfigOf,
  type Env,
  type Setting,
} from '#lib/config';

/** A process whose port for health and metrics is asked. */
export interface Target {
  readonly name: string;
  /** Without a path. `dns+http:`: every address of the host's name is a process. */
  readonly url: string;
}

const mostTargets = 64;
const targetsLimit = `at most ${mostTargets} like worker=http://host:8090 with names of their own, separated by commas`;

function readTarget(text: string): Target | null {
  const [, name, url] = /^([a-z][a-z0-9-]{0,40})=(.{1,300})$/.exec(text.trim()) ?? [];
  const [, dns = '', plain] = /^(dns\+)?(https?:\/\/.+)$/.exec(url ?? '') ?? [];
  if (name === undefined || plain === undefined || !URL.canParse(plain)) return null;
  const { href, origin, port } = new URL(plain);
  // Whatever else a URL may have (user, password, path, query, fragment) has no meaning here.
  return href === `${origin}/` && !/[?#]$/.test(plain) && port !== '0' ? { name, url: dns + origin } : null;
}

const targetsSetting: Setting<readonly Target[]> = {
  key: 'ROUNDHOUSE_OPS_TARGETS',
  fallback: 'ingest=http://127.0.0.1:8080,worker=http://127.0.0.1:8090,aggregator=http://127.0.0.1:8070',
  read(text) {
    const targets = text.split(',').map(readTarget);
    const names = new Set(targets.map((target) => target?.name));
    const isGood = targets.length <= mostTargets && names.size === targets.length && !targets.includes(null);
    return isGood ? { value: Object.freeze(targets as Target[]) } : { limit: targetsLimit };
  },
};

/** A consumer group of others on a topic of the same brokers. */
export interface NamedGroup {
  readonly groupId: string;
  readonly topic: string;
}

const mostGroups = 50;

const groupsSetting: Setting<readonly NamedGroup[]> = {
  key: 'ROUNDHOUSE_OPS_CONSUMER_GROUPS',
  fallback: '',
  read(text) {
    const found = text === '' ? [] : text.split(',').map((pair) => pair.trim().split('@'));
    const isGood = found.every(
      (pair) => pair.length === 2 && pair.every((part) => /^[\w.-]{1,249}$/.test(part)),
    );
    if (!isGood || found.length > mostGroups)
      return { limit: `at most ${mostGroups} like group@topic, separated by commas` };
    return { value: Object.freeze(found.map(([groupId, topic]) => ({ groupId: groupId!, topic: topic! }))) };
  },
};

export const opsSettings = {
  ...commonSettings,
  httpPort: portSetting('ROUNDHOUSE_OPS_HTTP_PORT', 8060),
  targets: targetsSetting,
  groups: groupsSetting,
  /** Between two looks at groups and services. */
  intervalMs: integerSetting('ROUNDHOUSE_OPS_INTERVAL_MS', { default: 2_000, min: 200, max: 60_000 }),
  /** Rounds that were accepted so long before the start are read. */
  historyMs: integerSetting('ROUNDHOUSE_OPS_HISTORY_MS', { default: 600_000, min: 0, max: 86_400_000 }),
  /** Rounds that are remembered. */
  rounds: integerSetting('ROUNDHOUSE_OPS_ROUNDS', { default: 2_000, min: 10, max: 100_000 }),
  /** Consoles that may be open at once. */
  viewers: integerSetting('ROUNDHOUSE_OPS_MAX_VIEWERS', { default: 50, min: 1, max: 1_000 }),
  /** Of them, from one client address. */
  viewersOfAddress: integerSetting('ROUNDHOUSE_OPS_MAX_VIEWERS_PER_ADDRESS', {
    default: 10,
    min: 1,
    max: 1_000,
  }),
} as const;

export type OpsConfig = ConfigOf<typeof opsSettings>;

export function loadOpsConfig(env: Env): OpsConfig {
  return loadConfig(env, opsSettings);
}
