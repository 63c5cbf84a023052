import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionContent, UnassignedReason } from '#schemas/domain';
import { recorded, smallRound, writeRecording } from '../../../test/support/small-recording';
import { compareRounds } from './compare-rounds';
import { diffCommand } from './diff-command';
import { DiffSummary } from './diff-summary';
import { matchRounds } from './match-rounds';
import { parseDiff } from './options';
import { ofRecording, type SideRound } from './side';
import { boundFlag, brokenBounds } from './thresholds';

const side = (number: number) => ofRecording(recorded(smallRound(number)));
const base = side(1);
const changed = (changes: Partial<DecisionContent>, more: Partial<SideRound> = {}): SideRound => ({
  ...base,
  contentHash: 'other',
  content: { ...base.content!, ...changes },
  ...more,
});
const leave = (orderId: string, reason: UnassignedReason) => [{ orderId: orderId as never, reason }];

test('what becomes of orders', () => {
  const [first, second, third] = base.content!.assignments;
  expect(first && second && third).toBeDefined();
  const b = changed({
    assignments: [
      { ...first!, orderIds: second!.orderIds },
      { ...third!, stops: third!.stops.map((stop) => ({ ...stop, departAt: (stop.departAt + 1) as never })) },
    ],
    unassigned: leave(first!.orderIds[0]!, 'cheaper_to_wait'),
  });
  const difference = compareRounds({ a: base, b })!;
  const changes = Object.fromEntries(difference.orders.map(({ orderId, change }) => [orderId, change]));
  expect(changes).toEqual({
    [first!.orderIds[0]!]: 'lost',
    [second!.orderIds[0]!]: 'moved',
    [third!.orderIds[0]!]: 'replanned',
  });
  // The plan of the second courier is gone, the order that is left out costs by the round's policy in A's view only.
  expect(difference.costB - difference.costA).toBe(-second!.cost);
  const back = compareRounds({ a: b, b: base })!;
  expect(back.orders.map(({ change }) => change).sort()).toEqual(['gained', 'moved', 'replanned']);
});

test('a plan that is the same, and committed to otherwise', () => {
  const assignments = base.content!.assignments.map((one) => ({ ...one, stage: 'tentative' as const }));
  const { orders } = compareRounds({ a: base, b: changed({ assignments }) })!;
  expect(orders.map(({ change }) => change)).toEqual(['stage', 'stage', 'stage']);
  expect(orders[0]!.a).toMatch(/^k\d \(final\)$/);
});

test('reasons, and what differs where no order does', () => {
  const a = changed({ unassigned: leave('x', 'shard_late') });
  const b = changed({ unassigned: leave('x', 'shard_failed'), coverage: 0.5 }, { contentHash: 'third' });
  expect(compareRounds({ a, b })).toMatchObject({
    orders: [{ orderId: 'x', change: 'reason', a: 'shard_late', b: 'shard_failed' }],
    elsewhere: ['coverage'],
  });
  expect(compareRounds({ a: base, b: base })).toBeNull();
});

test('rounds that one side lacks, or has no decision for', () => {
  const undecided = { ...base, content: null, contentHash: null, error: 'MODEL_FAILED: no' };
  expect(compareRounds({ a: base, b: null })!.errors).toEqual(['not in B']);
  expect(compareRounds({ a: null, b: base })!.errors).toEqual(['not in A']);
  expect(compareRounds({ a: base, b: undecided })!.errors).toEqual(['B has no decision: MODEL_FAILED: no']);
  expect(compareRounds({ a: undecided, b: undecided })!.errors).toHaveLength(2);
});

test('rounds are matched whatever their order, and those of one side come at the end', () => {
  const [one, two, three, four] = [1, 2, 3, 4].map(side);
  const matched = [...matchRounds([one!, two!, three!], [three!, one!, four!])];
  expect(matched.map(({ a, b }) => [a?.roundId ?? null, b?.roundId ?? null])).toEqual([
    ['round-1', 'round-1'],
    ['round-3', 'round-3'],
    ['round-2', null],
    [null, 'round-4'],
  ]);
});

test('figures, the worst rounds and bounds', () => {
  const summary = new DiffSummary(2);
  const add = (a: SideRound | null, b: SideRound | null) => summary.add({ a, b }, compareRounds({ a, b }));
  const dearer = (by: bigint) => changed({}, { leftOutCost: base.leftOutCost + by, lateByMs: 3 });
  add(base, base);
  add(base, dearer(10n));
  add(base, dearer(30n));
  add(base, dearer(20n));
  add(base, null);
  const figures = summary.figures();
  expect(figures).toMatchObject({ compared: 4, changed: 3, redispatched: 0, missingInB: 1, missingInA: 0 });
  // The missing one first, then the dearest.
  expect(figures.worst.map(({ errors, costA, costB }) => [errors.length, costB - costA])).toEqual([
    [1, -figures.worst[0]!.costA],
    [0, 30n],
  ]);
  expect(figures.b.cost - figures.a.cost).toBe(60n);
  expect(figures.b.late).toBe(3);
  const bound = (name: string, text: string) => brokenBounds(figures, { [name]: boundFlag(name, text) });
  expect(bound('max-changed', '3')).toEqual([]);
  expect(bound('max-changed', '2')).toEqual(['--max-changed 2: it is 3']);
  expect(bound('max-changed', '75%')).toEqual([]);
  expect(bound('max-changed', '74.9%')).toEqual(['--max-changed 74.9%: it is 75.0000% (3 of 4)']);
  expect(bound('max-missing', '20%')).toEqual([]); // 1 of 5
  expect(bound('max-cost-increase', '59')).toEqual(['--max-cost-increase 59: it is 60']);
  expect(bound('max-late', '0')).toHaveLength(1);
});

test('more than nothing is above every part', () => {
  const empty = new DiffSummary(0).figures();
  const none = { ...empty, orders: { ...empty.orders, lost: 1 } };
  expect(brokenBounds(none, { 'max-lost': boundFlag('max-lost', '99%') })).toHaveLength(1);
  expect(brokenBounds(empty, { 'max-lost': boundFlag('max-lost', '0%') })).toEqual([]);
});

describe('the command', () => {
  let folder: string;
  const lines: string[] = [];
  const tell = (line: string) => void lines.push(line);
  const place = { env: {}, signal: new AbortController().signal, tell, tellError: tell };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'diff-'));
    lines.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('unrelated recordings pass no gate', () => {
    const [a, b] = [join(folder, 'a'), join(folder, 'b')];
    writeRecording(a, [recorded(smallRound(1))]);
    writeRecording(b, [recorded(smallRound(2))]);
    expect(diffCommand(parseDiff([a, b]), place)).toBe(0);
    expect(diffCommand(parseDiff([a, b, '--max-lost', '0', '--max-missing', '1']), place)).toBe(1);
    expect(lines.at(-1)).toBe('bound broken: no round is decided by both: nothing was compared');
  });

  test('two recordings, with details', () => {
    const [a, b] = [join(folder, 'a'), join(folder, 'b')];
    writeRecording(a, [recorded(smallRound(1)), recorded(smallRound(2))]);
    writeRecording(b, [recorded(smallRound(1), (outcomes) => outcomes.delete(0)), recorded(smallRound(2))]);
    const details = join(folder, 'details');
    expect(diffCommand(parseDiff([a, b, '--details', details, '--worst', '1']), place)).toBe(0);
    expect(lines[0]).toContain('2 rounds decided by both, 1 of them otherwise, ');
    expect(lines[0]).toContain('closed by deadline: 0 -> 1');
    const [line] = readFileSync(details, 'utf8').trim().split('\n');
    expect(JSON.parse(line!)).toMatchObject({
      roundId: 'round-1',
      elsewhere: expect.arrayContaining(['shards']),
    });
  });

  test('folders and files that are not there', () => {
    const a = join(folder, 'a');
    writeRecording(a, [recorded(smallRound(1))]);
    const run = (...argv: string[]) => diffCommand(parseDiff(argv), place);
    expect(() => run(a, folder)).toThrow('is neither a recording nor a run');
    expect(() => run(a, a, '--details', folder)).toThrow(`--details ${folder} can't be written (EISDIR)`);
  });

  test.each([
    [['a'], 'B is needed'],
    [['a', 'b', '--max-changed', 'few'], '--max-changed is few: a number, or a part'],
    [['a', 'b', '--max-changes', '1'], 'did you mean --max-changed?'],
    [['a', 'b', '--worst', '-1'], '--worst is -1'],
  ])('%j is refused', (argv, reason) => {
    expect(() => parseDiff(argv)).toThrow(reason);
  });
});
