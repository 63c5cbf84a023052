import { buildLook } from '../../../../test/support/build-look';
import { find, gone, setUp, text, tree, well } from '../../../../test/support/signal-looks';
import type { Farewell } from '../../scrape/farewells';
import type { ServiceLook } from '../../scrape/scrape-service';

describe('ends and starts', () => {
  const metrics = (start: number) => `process_start_time_seconds ${start}\n`;
  const end = (exitCode: number | null, words = ''): Farewell => ({ at: 1, exitCode, words });
  const worker = (start: number, farewell: Farewell | null, changes: Partial<ServiceLook> = {}) => [
    buildLook('worker', metrics(start), { farewell, ...changes }),
  ];

  test('a process that said why it ends, told once', () => {
    const look = setUp();
    look({ looks: worker(1, null) });
    const farewell = end(1, "CLOCK_SKEWED: 5,000 ms off the broker's clock");
    expect(look({ looks: worker(1, farewell) }).map(text)).toEqual([
      "bad worker: ended with 1: CLOCK_SKEWED: 5,000 ms off the broker's clock",
    ]);
    expect(look({ looks: worker(2, farewell) }).map(text)).toEqual(['warn worker: was started again']);
    expect(look({ looks: worker(2, farewell) })).toEqual([]);
  });

  test('one that said nothing was killed; a line that broke is no end', () => {
    const look = setUp();
    look({ looks: worker(1, null) });
    const broken = end(null);
    expect(look({ looks: worker(1, broken) })).toEqual([]);
    expect(look({ looks: worker(1, end(null), gone) }).map(text)).toEqual([
      'bad worker: ended without a word: it was killed, or crashed',
      'bad worker: does not answer: nobody listens there',
    ]);
  });

  test('one that ended for want of a server follows from that; one that was asked to is no trouble', () => {
    const look = setUp();
    look({ looks: worker(1, null) });
    const absent = end(3, 'DEPENDENCY_ABSENT: Kafka');
    expect(tree(look({ looks: [...well, ...worker(1, absent, gone)], kafkaFault: 'gone' }))).toEqual([
      ['Kafka', 'worker', 'worker'],
    ]);
    expect(look({ looks: worker(1, end(0, 'asked to stop: SIGTERM')) }).map(text)).toEqual([
      'warn worker: asked to stop: SIGTERM',
    ]);
  });
});

test('requests behind long work are told after three seconds in which none was begun', () => {
  const look = setUp();
  const queue = (queued: number, admissions: number) => [
    buildLook(
      'worker',
      `dispatch_engine_queued ${queued}\ndispatch_engine_in_core 4\ndispatch_engine_admissions_total ${admissions}\n`,
    ),
  ];
  expect(look({ looks: queue(1, 7) })).toEqual([]);
  expect(look({ looks: queue(2, 7) })).toEqual([]);
  expect(look({ looks: queue(2, 7) }).map(text)).toEqual([
    'warn worker: 2 requests wait behind 4 that take long: none was begun for 4 s',
  ]);
  expect(look({ looks: queue(1, 8) })).toEqual([]);
  expect(look({ looks: queue(0, 9) })).toEqual([]);
});

test('brokers are slow where four looks in a row take four times as long as usual', () => {
  const look = setUp();
  // The first ones, of a start, count for little
  for (const kafkaLookMs of [796, 103, 40, 40, 40, 45, 40]) look({ kafkaLookMs });
  for (let i = 0; i < 9; i++) expect(look({ kafkaLookMs: 40 })).toEqual([]);
  // 4 · 40 = 160 ms
  for (const kafkaLookMs of [170, 170, 170, 150, 170, 170, 170]) expect(look({ kafkaLookMs })).toEqual([]);
  expect(look({ kafkaLookMs: 170 }).map(text)).toEqual([
    'warn Kafka: answers slowly: a look at its groups takes 170 ms, usually 40 ms',
  ]);
  expect(look({ kafkaLookMs: 40 })).toEqual([]);
});

test('as long as nobody knows what is usual, 400 ms are slow', () => {
  const look = setUp();
  for (const kafkaLookMs of [1_096, 104, 500, 500, 500]) expect(look({ kafkaLookMs })).toEqual([]);
  expect(look({ kafkaLookMs: 500 }).map(text)).toEqual([
    'warn Kafka: answers slowly: a look at its groups takes 500 ms',
  ]);
});

test('a process that stood still', () => {
  const looks = [buildLook('aggregator', 'nodejs_eventloop_lag_max_seconds 2.96\n')];
  expect(find({ looks }).map(text)).toEqual([
    'warn aggregator: stood still for 3.0 s: blocked, stopped, or without a processor',
  ]);
});

test('a group that is shared out again and again is told, until five minutes later', () => {
  const look = setUp();
  const joins = (count: number) => [
    buildLook('worker', `dispatch_group_joins_total{consumergroup="inference-worker"} ${count}\n`),
  ];
  look({ looks: joins(1) });
  expect(look({ looks: joins(7) })).toEqual([]);
  const words = 'warn inference-worker: its members were shared out anew 7 times in five minutes';
  expect(look({ looks: joins(8) }).map(text)).toEqual([words]);
  for (let i = 0; i < 148; i++) expect(look({ looks: joins(8) })).toHaveLength(1);
  expect(look({ looks: joins(8) })).toEqual([]);
});
