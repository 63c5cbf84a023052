import type { RoundId, RunId, UnixMs, ZoneId } from '#schemas/brands';
import { buildRound } from '../../../test/support/build-round';
import { openRoundOf } from '../../../test/support/open-round';
import type { OpenRound } from './open-round';
import { RoundBook } from './round-book';

function open(id: string, sequence: bigint, zoneId = 'zone', runId = 'run'): OpenRound {
  const ids = { roundId: id as RoundId, zoneId: zoneId as ZoneId, runId: runId as RunId };
  return openRoundOf(
    {
      round: buildRound({ ...ids, sequence }),
      models: [],
      shardCount: 0,
      shardCandidateCounts: [],
      shardOrders: [],
    },
    id,
  );
}

test('older and newer rounds are those of the same zone and run, by sequence', () => {
  const book = new RoundBook();
  const [one, two, three] = [open('1', 1n), open('2', 2n), open('3', 3n)];
  const others = [open('4', 0n, 'other zone'), open('5', 0n, 'zone', 'other run')];
  for (const round of [three, ...others, one, two]) book.add(round);
  expect(book.isHeldBack(one)).toBe(false);
  expect(book.isHeldBack(two)).toBe(true);
  expect(book.newer(one)).toEqual([two, three]);
  one.state = 'open';
  expect([book.isHeldBack(two), book.olderClosing(two)]).toEqual([true, []]);
  one.state = 'closing';
  expect([book.isHeldBack(two), book.olderClosing(two)]).toEqual([false, [one]]);
  expect([book.isHeldBack(three), book.olderClosing(three)]).toEqual([true, [one]]);
  book.leaveZone(one);
  expect(book.olderClosing(two)).toEqual([]);
  expect(book.get('1')).toBe(one);
  book.remove(one);
  expect(book.get('1')).toBeUndefined();
  expect(book.size).toBe(4);
});

test('a round that is removed stays in its zone until it leaves that', () => {
  const book = new RoundBook();
  const [one, two] = [open('1', 1n), open('2', 2n)];
  book.add(one);
  book.add(two);
  book.remove(one);
  expect([book.get('1'), book.isHeldBack(two)]).toEqual([undefined, true]);
  book.leaveZone(one);
  expect(book.isHeldBack(two)).toBe(false);
});

test('sequences at the ends of int64 are in order', () => {
  const book = new RoundBook();
  const [least, most] = [open('a', -(2n ** 63n)), open('b', 2n ** 63n - 1n)];
  book.add(least);
  book.add(most);
  expect(book.isHeldBack(most)).toBe(true);
  expect(book.isHeldBack(least)).toBe(false);
});

test('an offset waits at most until the latest deadline of the rounds of its partition that are still there', () => {
  const book = new RoundBook();
  const add = (id: string, deadline: number, partition?: number): OpenRound => {
    const { manifest } = open(id, 1n).parts;
    const round = { ...manifest.round, deadline: deadline as UnixMs };
    const added = openRoundOf({ ...manifest, round }, id, partition);
    book.add(added);
    return added;
  };
  expect(book.latestDeadlineBeside('one')).toBe(0);
  add('one', 1_000, 0);
  const later = add('later', 2_000, 0);
  add('elsewhere', 9_000, 1);
  const untils = () => ['one', 'later', 'elsewhere', 'unknown'].map((key) => book.latestDeadlineBeside(key));
  expect(untils()).toEqual([2_000, 2_000, 9_000, 9_000]);
  // Of the backup job: its partition may be any of them.
  const orphan = add('orphan', 3_000);
  expect(untils()).toEqual([3_000, 3_000, 9_000, 9_000]);
  expect(book.latestDeadlineBeside('orphan')).toBe(9_000);
  book.remove(orphan);
  book.remove(later);
  expect(untils()).toEqual([1_000, 9_000, 9_000, 9_000]);
});

test('a round that takes the place of another takes that of its deadline, too', () => {
  const book = new RoundBook();
  const due = (deadline: number): OpenRound => {
    const { manifest } = open('one', 1n).parts;
    return openRoundOf({ ...manifest, round: { ...manifest.round, deadline: deadline as UnixMs } }, 'one', 0);
  };
  const [first, second, third] = [due(9_000), due(1_000), due(1_000)];
  book.add(first);
  book.add(second);
  expect(book.latestDeadlineBeside('one')).toBe(1_000);
  // What has no place any more gives none up.
  book.remove(first);
  expect([book.get('one'), book.latestDeadlineBeside('one')]).toEqual([second, 1_000]);
  book.add(third);
  book.remove(third);
  expect([book.size, book.latestDeadlineBeside('one')]).toEqual([0, 0]);
});
