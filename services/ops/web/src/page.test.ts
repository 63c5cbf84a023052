import type { RoundView, Snapshot, Tick } from '../../console/messages';
import { ago, bytes, count, duration, percent, rate, text } from './format';
import { afterTick, mergedRounds } from './merged-view';
import { routeOf } from './addresses';
import { largest, linePath, niceTicks } from './scale';
import { timelineRows } from './timeline-rows';

test.each([
  [percent(1), '100%'],
  [percent(0.99999), '99.99%'],
  [percent(0.9987), '99.87%'],
  [percent(0), '0%'],
  [percent(0.0123), '1.23%'],
  [percent(null), '–'],
  [duration(0), '0 ms'],
  [duration(0.0000421), '42.1 µs'],
  [duration(0.384), '384 ms'],
  [duration(12.34), '12.3 s'],
  [duration(600), '10.0 min'],
  [duration(7_200), '2.00 h'],
  [rate(0), '0 /s'],
  [rate(5.261), '5.26 /s'],
  [rate(23_150), '23.2 k/s'],
  [count(1_234), '1,234'],
  [count(2_340_000), '2.34 M'],
  [bytes(0), '0 B'],
  [bytes(1_536), '1.50 KiB'],
  [bytes(1 << 30), '1.00 GiB'],
])('%j reads %s', (quantity, expected) => {
  expect(text(quantity)).toBe(expected);
});

test('times ago', () => {
  const now = 1_000_000_000_000;
  expect([5_000, 90_000, 7_200_000].map((before) => ago(now - before, now))).toEqual([
    '5 s ago',
    '2 min ago',
    '2 h ago',
  ]);
});

test('marks of an axis hold the largest value', () => {
  expect(niceTicks(1, 4)).toEqual([0, 0.5, 1]);
  expect(niceTicks(0.0037, 4)).toEqual([0, 0.001, 0.002, 0.003, 0.004]);
  expect(niceTicks(47, 4)).toEqual([0, 20, 40, 60]);
  expect(niceTicks(0, 4)).toEqual([0, 1]);
});

test('a line ends at the right and is broken where values are missing', () => {
  const box = { width: 90, height: 10 };
  // Ten places, 10 apart; the last four are taken
  expect(linePath([0, 5, null, 20], 10, box, 10)).toBe('M60.0 10.0L70.0 5.0M90.0 0.0');
  expect(largest([null, 3, 2], 1)).toBe(3);
  expect(largest([null], 1)).toBe(1);
});

test('addresses', () => {
  expect(routeOf('')).toEqual({ page: 'overview' });
  expect(routeOf('#/nowhere?x=1')).toEqual({ page: 'overview' });
  const ids = { tenantId: 'a', runId: 'b/c', roundId: 'ü & x' };
  expect(routeOf(`#/round?${new URLSearchParams(ids)}`)).toEqual({ page: 'round', ...ids });
});

const round = (id: string, manifestAt: number, changes: Partial<RoundView> = {}) =>
  ({
    tenantId: 't',
    runId: 'r',
    roundId: id,
    manifestAt,
    deadline: manifestAt + 100,
    phases: {},
    receivedAt: manifestAt - 10,
    decision: null,
    ...changes,
  }) as RoundView;

test('rounds that changed take their place', () => {
  const known = [round('a', 1), round('b', 2)];
  const changed = round('a', 1, { zoneId: 'z' as RoundView['zoneId'] });
  expect(mergedRounds(known, [changed, round('c', 3)])).toEqual([changed, known[1], round('c', 3)]);
  expect(mergedRounds(known, [])).toBe(known);
});

test('a tick is added to the past, of which so much is kept', () => {
  const values = Array.from({ length: 150 }, (_, i) => i);
  const view = {
    at: 1,
    rounds: [],
    history: { at: values, figures: { atRisk: values } },
  } as unknown as Snapshot;
  const next = afterTick(view, { at: 2, rounds: [], figures: { atRisk: 7 } } as unknown as Tick);
  expect([
    next.at,
    next.history.at.length,
    next.history.figures.atRisk.at(-1),
    next.history.figures.atRisk[0],
  ]).toEqual([2, 150, 7, 1]);
});

test("a timeline has ingest's steps, each shard's waits and work, and what the aggregator did", () => {
  const decided = round('a', 1_030, {
    receivedAt: 1_000,
    phases: { read: 5, prepare: 10, cut: 4 },
    decision: {
      decidedAt: 1_100,
      closedAt: 1_090,
      phases: { take: 8, decide: 20 },
    } as unknown as NonNullable<RoundView['decision']>,
  });
  const shard = {
    index: 0,
    appendedAt: 1_020,
    backend: { start: 1_030, end: 1_040 },
    answeredAt: 1_045,
    status: 'solved',
    code: null,
    candidates: 4,
    host: null,
  };
  const late = { ...shard, index: 1, backend: null, status: 'late', code: 'DEADLINE_EXCEEDED' };
  const { ingest, shards, aggregator, begin, left } = timelineRows(
    { round: decided, shards: [shard, late] },
    2_000,
  );
  const spans = (pieces: typeof ingest.pieces) =>
    pieces.map(({ from, to, kind }) => [from - begin, to - begin, kind]);
  expect(spans(ingest.pieces)).toEqual([
    [0, 5, 'step'],
    [5, 15, 'step'],
    [15, 30, 'wait'],
  ]);
  expect(ingest.pieces[1]!.words).toBe('prepare: 10.0 ms, of it cut 4.0 ms');
  expect(spans(shards[0]!.pieces)).toEqual([
    [20, 30, 'wait'],
    [30, 40, 'work'],
    [40, 45, 'wait'],
  ]);
  expect(spans(shards[1]!.pieces)).toEqual([[20, 45, 'fault']]);
  // It was taken in from its manifest on, 1,030, and decided until its close.
  expect(spans(aggregator.pieces)).toEqual([
    [30, 38, 'step'],
    [70, 90, 'step'],
    [90, 100, 'wait'],
  ]);
  expect(left).toBe(0);
});
