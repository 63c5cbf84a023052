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

test('the latest deadline is that of the rounds which are still there', () => {
  const book = new RoundBook();
  expect(book.latestDeadline()).toBe(0);
  const [one, two] = [open('1', 1n), open('2', 2n)];
  const late = { ...two.round, deadline: (one.round.deadline + 600_000) as UnixMs };
  const later = openRoundOf({ ...two.parts.manifest, round: late }, '2');
  book.add(later);
  book.add(one);
  expect(book.latestDeadline()).toBe(one.round.deadline + 600_000);
  book.remove(later);
  expect(book.latestDeadline()).toBe(one.round.deadline);
});
