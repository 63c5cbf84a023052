import { EndHistory } from './end-history';
import { partitionLag } from './partition-lag';

const offsets = { topic: 'dispatch.shards', partition: 0, oldest: 10n, end: 30n };

describe('lag of a partition', () => {
  test.each([
    // 30 - 25 = 5 are left
    [25n, 'committed', 5n, 5n],
    [30n, 'committed', 0n, 0n],
    // No commit is no lag of any size: its own state. Such a group begins at the oldest: 30 - 10 = 20.
    [null, 'none', null, 20n],
    // 4..9 are gone: 30 - 10 = 20 can still be read
    [4n, 'expired', 20n, 20n],
    // The commit was read before the end and the topic is a new one: 0 and not 30 - 40 = -10
    [40n, 'beyond_end', 0n, 0n],
  ] as const)('committed %s: %s', (committed, state, lag, backlog) => {
    expect(partitionLag({ ...offsets, committed })).toEqual({ ...offsets, committed, state, lag, backlog });
  });

  test('is exact beyond 2^53', () => {
    const end = 2n ** 62n + 3n;
    expect(partitionLag({ ...offsets, end, committed: 2n ** 62n }).lag).toBe(3n);
  });
});

describe('seconds behind', () => {
  test('is 0 where everything is committed, or nothing was ever seen', () => {
    const history = new EndHistory();
    expect(history.secondsBehind(0n, 5_000)).toBe(0);
    history.saw(10n, 1_000);
    expect(history.secondsBehind(10n, 5_000)).toBe(0);
  });

  test('is the age of the first message that is not committed, between two looks by its share', () => {
    const history = new EndHistory();
    history.saw(10n, 1_000);
    history.saw(10n, 2_000);
    history.saw(20n, 3_000);
    // Of 10..19, which came from 2,000 to 3,000 ms, offset 14 is the fifth: at 2,500 ms, 2.5 s before 5,000
    expect(history.secondsBehind(14n, 5_000)).toBeCloseTo(2.5);
    // Offset 9 came before the first look, at 1,000 ms: at least 4 s
    expect(history.secondsBehind(9n, 5_000)).toBe(4);
  });

  test('goes on where the clock is set back', () => {
    const history = new EndHistory();
    history.saw(10n, 3_600_000);
    history.saw(20n, 3_602_000);
    history.saw(20n, 3_612_000);
    // An hour back, in the moment of the last look: what came 10 s before that did so at -10 s
    history.saw(20n, 0);
    expect(history.secondsBehind(19n, 0)).toBe(10);
    history.saw(20n, 2_000);
    expect(history.secondsBehind(19n, 2_000)).toBe(12);
  });

  test('forgets a topic that was made anew', () => {
    const history = new EndHistory();
    history.saw(1_000n, 1_000);
    history.saw(5n, 9_000);
    expect(history.secondsBehind(3n, 10_000)).toBe(1);
  });

  test('keeps a bounded history, the new part of it whole', () => {
    const history = new EndHistory();
    for (let i = 0; i <= 10_000; i++) history.saw(BigInt(i), i * 1_000);
    // Offset 9,990 was seen with the end at 9,991: at 9,991 s, 9 s before 10,000
    expect(history.secondsBehind(9_990n, 10_000_000)).toBe(9);
    // Old looks are thinned out, not wrong: offset 5,000 came at 5,001 s
    expect(Math.abs(history.secondsBehind(5_000n, 10_000_000) - 4_999)).toBeLessThan(1_100);
    expect((history as unknown as { spans: unknown[] }).spans.length).toBeLessThanOrEqual(512);
  });
});
