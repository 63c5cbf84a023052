import { existsSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { buildLook } from '../../../../test/support/build-look';
import {
  calm,
  find,
  gone,
  groupOf,
  lagOf,
  names,
  text,
  tree,
  well,
  type Changes,
} from '../../../../test/support/signal-looks';

const engine = { id: 'cpu', device: 'cpu', incarnation: 4, reason: 'the engine hung up' };

const cases: [string, Changes, string[]][] = [
  ['nothing', {}, []],
  [
    'rounds past their deadline',
    { risk: { ...calm, overdue: 1 } },
    ['bad rounds: 1 round is past the deadline without a decision'],
  ],
  [
    'rounds whose shards are too slow',
    { risk: { ...calm, shards: 2 } },
    ["bad rounds: 2 rounds are about to lose coverage: shards won't be in by the deadline"],
  ],
  [
    'rounds whose outcomes are joined too slowly',
    { risk: { ...calm, outcomes: 2 } },
    ['bad rounds: 2 rounds are about to lose coverage: outcomes are joined too slowly'],
  ],
  [
    'rounds whose outcomes nobody joins',
    { risk: { ...calm, outcomes: 2 }, lag: lagOf(groupOf('aggregator-outcomes', { members: 0 })) },
    [
      'bad aggregator-outcomes: nobody reads t',
      'bad rounds: 2 rounds are about to be late: nobody joins their outcomes',
    ],
  ],
  [
    'no broker, for this console alone',
    { kafkaFault: 'connect ECONNREFUSED', lag: lagOf(groupOf('g', { members: 0 })) },
    ['bad Kafka: does not answer: connect ECONNREFUSED'],
  ],
  [
    'no broker for a service alone',
    { looks: [buildLook('aggregator', 'dispatch_outage_active{outage="kafka"} 1\n')] },
    ['bad Kafka: is silent to aggregator, and answers this console'],
  ],
  [
    'a group that is not joined yet is no fault of Kafka',
    { looks: [buildLook('worker', '', { reasons: { kafka: 'the consumer group has not been joined' } })] },
    ['bad worker: is not ready: kafka: the consumer group has not been joined'],
  ],
  [
    'Redis that refuses',
    { looks: [buildLook('aggregator', '', { reasons: { redis: 'maxmemory-policy is volatile-lru' } })] },
    [
      'bad Redis: aggregator: maxmemory-policy is volatile-lru',
      'bad aggregator: is not ready: redis: maxmemory-policy is volatile-lru',
    ],
  ],
  [
    'an outage of Redis',
    { looks: [buildLook('aggregator', 'dispatch_outage_active{outage="redis"} 1\n')] },
    ['bad Redis: aggregator: an outage lasts'],
  ],
  [
    'no topics',
    { missingTopics: ['a', 'b'] },
    ['warn Kafka: no topic a, b yet: the first service that starts makes it'],
  ],
  [
    'a silent service',
    { looks: [...well.slice(1), buildLook('ingest', '', gone)] },
    ['bad ingest: does not answer: nobody listens there'],
  ],
  [
    'one that hangs',
    { looks: [...well.slice(1), buildLook('ingest', '', { fault: 'no answer in 2500 ms' })] },
    ['bad ingest: does not answer: no answer in 2500 ms; it hangs, or is stopped'],
  ],
  [
    'everything silent',
    { looks: [buildLook('ingest', '', gone)], kafkaFault: 'no answer' },
    [
      'bad everything: neither the brokers nor any service answers here: the network to this console, or the machine',
      'bad Kafka: does not answer: no answer',
      'bad ingest: does not answer: nobody listens there',
    ],
  ],
  [
    'a warning',
    { looks: [buildLook('x', '', { warnings: { models: 'b 2 is broken' } })] },
    ['warn x: b 2 is broken'],
  ],
  [
    'an engine that is down',
    { looks: [buildLook('w', '', { engines: [{ ...engine, state: 'down' }] })] },
    ['bad w: engine cpu: the engine hung up'],
  ],
  [
    'a clock that is off',
    { looks: [buildLook('aggregator', 'dispatch_clock_skew_seconds -0.25\n')] },
    ["warn aggregator: its clock is 250 ms behind the broker's"],
  ],
  [
    'a group without members',
    { lag: lagOf(groupOf('g', { members: 0, secondsBehind: 99, backlog: 9 })) },
    ['bad g: nobody reads t'],
  ],
  [
    'a group behind',
    { lag: lagOf(groupOf('g', { secondsBehind: 11, backlog: 9 })) },
    ['warn g: 11 s behind on t'],
  ],
  ['a group a little behind', { lag: lagOf(groupOf('g', { secondsBehind: 9, backlog: 9 })) }, []],
  [
    'a commit that expired',
    {
      lag: lagOf(
        groupOf('g', {
          partitions: [
            { partition: 0, state: 'expired', committed: 1n, end: 9n, lag: 2n },
            { partition: 1, state: 'none', committed: null, end: 9n, lag: null },
          ],
        }),
      ),
    },
    ['warn g: the commit in 1 of 2 partitions of t is out of range'],
  ],
  [
    'messages that nobody can read',
    { looks: [buildLook('worker', 'dispatch_dead_letters_total{code="PAYLOAD_INVALID"} 3\n')] },
    ['warn worker: dead-lettered a message: PAYLOAD_INVALID'],
  ],
  [
    'shards given back',
    {
      looks: [
        buildLook(
          'worker',
          'dispatch_shards_finished_total{status="late",code="A"} 3\ndispatch_shards_finished_total{status="solved",code=""} 3\n',
        ),
      ],
    },
    ['warn worker: gave a shard back late'],
  ],
  [
    'an outage between two looks',
    {
      looks: [
        buildLook(
          'aggregator',
          'dispatch_outages_total{outage="redis"} 1\ndispatch_outages_total{outage="aggregator"} 1\n',
        ),
      ],
    },
    ['bad Redis: aggregator noticed an outage'],
  ],
  [
    'an engine that was given up',
    {
      looks: [
        buildLook('worker', '', {
          incidents: [
            {
              id: 'i',
              kind: 'device_fault',
              role: 'active',
              reason: 'a fault',
              at: 't',
              reaction: 'r',
              engine: null,
            },
          ],
        }),
      ],
    },
    ['bad worker: gave up its active engine (device fault): a fault'],
  ],
];

test.each(cases)('%s', (_, changes, expected) => {
  expect(find(changes).map(text)).toEqual(expected);
});

test.each([
  ['accessFiles', 'RoundhouseAccessChangeRefused'],
  ['confinement', 'RoundhouseEngineUnconfined'],
  ['constructor', 'RoundhouseNotReady'],
])('a warning of %s leads to the page %s', (check, page) => {
  const looks = [buildLook('worker', '', { warnings: { [check]: 'something does not hold' } })];
  expect(find({ looks }).map(({ runbook }) => runbook)).toEqual([page]);
  expect(existsSync(projectPath('docs', 'runbook', `${page}.md`))).toBe(true);
});

test('every signal has its page in the runbook', () => {
  const pages = cases.flatMap(([, changes]) => find(changes)).map(({ runbook }) => runbook);
  expect(pages.filter((page) => !existsSync(projectPath('docs', 'runbook', `${page}.md`)))).toEqual([]);
});

const silentIn = (name: string) => names.map((other) => buildLook(other, '', other === name ? gone : {}));

describe('one cause, its consequences under it', () => {
  test('a broker that is gone', () => {
    const looks = [
      buildLook('ingest', '', { reasons: { kafka: 'no answer from Kafka for 4000 ms' } }),
      buildLook('worker', '', { reasons: { kafka: 'no answer from Kafka for 4000 ms' } }),
      buildLook('aggregator', 'dispatch_outage_active{outage="kafka"} 1\n'),
    ];
    const found = find({ looks, kafkaFault: 'no answer', risk: { overdue: 3, shards: 1, outcomes: 0 } });
    expect(tree(found)).toEqual([['Kafka', 'ingest', 'worker', 'rounds', 'rounds']]);
    expect(text(found[0]!)).toBe(
      'bad Kafka: does not answer: no answer; ingest, worker, aggregator hear nothing of it either',
    );
  });

  test('a worker that is gone', () => {
    const lag = lagOf(groupOf('p.inference-worker', { members: 0 }));
    const found = find({ looks: silentIn('worker'), lag, risk: { ...calm, shards: 4 } });
    expect(tree(found)).toEqual([['worker', 'p.inference-worker', 'rounds']]);
  });

  test('an aggregator that is gone', () => {
    const lag = lagOf(
      groupOf('aggregator-rounds', { members: 0 }),
      groupOf('aggregator-outcomes', { members: 0 }),
    );
    const found = find({ looks: silentIn('aggregator'), lag, risk: { overdue: 1, shards: 0, outcomes: 2 } });
    expect(tree(found)).toEqual([
      ['aggregator', 'aggregator-rounds', 'aggregator-outcomes', 'rounds', 'rounds'],
    ]);
  });

  test('an ingest that is gone explains no group of workers', () => {
    const lag = lagOf(groupOf('inference-worker', { members: 0 }));
    expect(tree(find({ looks: silentIn('ingest'), lag }))).toEqual([['ingest'], ['inference-worker']]);
  });
});

test('a submission that is refused for itself follows from nothing; one that could not be taken does', () => {
  const refused = (code: string) => [
    ...well.slice(1),
    buildLook('ingest', `dispatch_rounds_refused_total{edge="http",code="${code}"} 2\n`),
  ];
  const look = (code: string) => tree(find({ looks: refused(code), kafkaFault: 'gone' }));
  expect(look('ROUND_TOO_LARGE')).toEqual([['Kafka'], ['ingest']]);
  expect(look('DEPENDENCY_ABSENT')).toEqual([['Kafka', 'ingest']]);
});
