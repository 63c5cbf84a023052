import { existsSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { buildLook } from '../../../test/support/build-look';
import type { LagView } from '../kafka/lag-book';
import { findProblems, worstLevel, type ProblemSources } from './problems';

const well: ProblemSources = {
  services: [buildLook('ingest'), buildLook('worker')],
  lag: { topics: [], groups: [] },
  kafkaFault: null,
  missingTopics: [],
  counts: { waiting: 2, atRisk: 0, overdue: 0 },
  secondsBehindLimit: 10,
};
const group = (changes: Partial<LagView['groups'][number]>): LagView => {
  const partitions = [{ partition: 0, state: 'committed', committed: 1n, end: 1n, lag: 0n }] as const;
  const quiet = { members: 1, backlog: 0, secondsBehind: 0, taken: 1, partitions };
  return { topics: [], groups: [{ groupId: 'g', topic: 't', ...quiet, ...changes }] };
};
const engine = { id: 'cpu', device: 'cpu', incarnation: 4, reason: 'the engine hung up' };

const cases: [string, Partial<ProblemSources>, string[]][] = [
  ['nothing', {}, []],
  [
    'rounds at risk and overdue',
    { counts: { waiting: 9, atRisk: 3, overdue: 1 } },
    [
      'bad rounds: 1 round is past the deadline without a decision',
      "bad rounds: 2 rounds are about to lose coverage: shards won't be in by the deadline",
    ],
  ],
  [
    'no broker',
    { kafkaFault: 'connect ECONNREFUSED', lag: group({ members: 0 }) },
    ['bad Kafka: connect ECONNREFUSED'],
  ],
  [
    'no topics',
    { missingTopics: ['a', 'b'] },
    ['warn Kafka: no topic a, b yet: the first service that starts makes it'],
  ],
  [
    'a silent service',
    { services: [buildLook('worker', '', { fault: 'nobody listens there' })] },
    ['bad worker: does not answer: nobody listens there'],
  ],
  [
    'a service that is not ready',
    { services: [buildLook('x', '', { reasons: { redis: 'away' } })] },
    ['bad x: is not ready: redis: away'],
  ],
  [
    'a warning',
    { services: [buildLook('x', '', { warnings: { models: 'b 2 is broken' } })] },
    ['warn x: b 2 is broken'],
  ],
  [
    'an engine that is down',
    { services: [buildLook('w', '', { engines: [{ ...engine, state: 'down' }] })] },
    ['bad w: engine cpu: the engine hung up'],
  ],
  [
    'an open circuit',
    { services: [buildLook('w', '', { engines: [{ ...engine, state: 'handed_over' }] })] },
    ['bad w: engine cpu: the engine hung up'],
  ],
  [
    'an outage',
    { services: [buildLook('a', 'dispatch_outage_active{outage="redis"} 1\n')] },
    ['bad a: an outage of redis lasts'],
  ],
  [
    'a group without members',
    { lag: group({ members: 0, secondsBehind: 99, backlog: 9 }) },
    ['bad g: nobody reads t'],
  ],
  ['a group behind', { lag: group({ secondsBehind: 11, backlog: 9 }) }, ['warn g: 11 s behind on t']],
  ['a group a little behind', { lag: group({ secondsBehind: 9, backlog: 9 }) }, []],
  [
    'a commit that expired',
    {
      lag: group({
        partitions: [
          { partition: 0, state: 'expired', committed: 1n, end: 9n, lag: 2n },
          { partition: 1, state: 'none', committed: null, end: 9n, lag: null },
        ],
      }),
    },
    ['warn g: the commit in 1 of 2 partitions of t is out of range'],
  ],
];

test.each(cases)('%s', (_, changes, expected) => {
  const problems = findProblems({ ...well, ...changes });
  expect(problems.map(({ level, where, words }) => `${level} ${where}: ${words}`)).toEqual(expected);
  const level = expected.some((one) => one.startsWith('bad')) ? 'bad' : expected.length > 0 ? 'warn' : 'ok';
  expect(worstLevel(problems)).toBe(level);
});

test('the worst come first, and every one has its page in the runbook', () => {
  const all = cases.map(([, changes]) => findProblems({ ...well, ...changes })).flat();
  const pages = [...new Set(all.map(({ runbook }) => runbook))];
  for (const page of pages) expect(existsSync(projectPath('docs', 'runbook', `${page}.md`))).toBe(true);
  const both = findProblems({
    ...well,
    missingTopics: ['a'],
    services: [buildLook('x', '', { fault: 'gone' })],
  });
  expect(both.map(({ level }) => level)).toEqual(['bad', 'warn']);
});
