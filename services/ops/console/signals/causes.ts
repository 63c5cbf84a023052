import type { Line, Signal } from '#policy/operations/signals';

/** The services of a deployment, as their metrics name them. */
export type Kind = 'ingest' | 'inference-worker' | 'aggregator' | 'ops' | 'other';

/** Ids of signals that explain others, by what rounds need. */
const all = ['all'];
export const ofKafka = [...all, 'kafka', 'outage:kafka'];
export const ofRedis = [...all, 'redis', 'outage:redis'];
export const ofServers = [...ofKafka, 'redis', 'outage:redis'];
const gone = (kind: Kind): string[] =>
  ['ended', 'silent', 'restarted', 'stalled'].map((what) => `${what}:${kind}/*`);
const noEngines = ['incident:*', 'engine:*', 'long-jobs:*'];
export const ofWorkers = [
  ...ofKafka,
  ...gone('inference-worker'),
  ...noEngines,
  'rebalances:*inference-worker',
  'not-ready:inference-worker/*',
];
export const ofAggregators = [...ofServers, ...gone('aggregator'), 'not-ready:aggregator/*', 'clock:*'];
/** Whatever may cost a round its plans, or its time. */
export const ofRounds = [
  ...ofServers,
  ...gone('aggregator'),
  ...gone('inference-worker'),
  ...noEngines,
  'rebalances:*',
  'clock:*',
  'not-ready:*',
  'group-empty:*',
  'group-behind:*',
  'slow:kafka',
  'warning:*',
];

export const ofProcess = (kind: Kind, name: string): string[] => [
  `ended:${kind}/${name}`,
  `silent:${kind}/${name}`,
  `restarted:${kind}/${name}`,
];

type Rest = Partial<Pick<Signal, 'times' | 'report'>>;

/** A state where it doesn't say how often it happened. */
export function signal(
  id: string,
  [level, where, words, runbook]: readonly [Line['level'], string, string, string],
  after: readonly string[] = [],
  rest: Rest = {},
): Signal {
  return { id, level, where, words, runbook, after, times: null, ...rest };
}
