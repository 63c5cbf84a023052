import type { UnixMs } from '#schemas/brands';
import { buildRound } from '../../../test/support/build-round';
import { OpenRound } from '../join/open-round';
import { jobIdOf } from './backup-jobs';
import { CloseBudget } from './close-budget';
import { DeadlineTimers } from './deadline-timers';
import { DueRounds } from './due-rounds';
import { firstStart } from './due-schedule';

function openRound(deadline: number): OpenRound {
  const round = buildRound({ deadline: deadline as UnixMs });
  return new OpenRound({
    key: `round ${deadline}`,
    manifest: { round, models: [], shardCount: 0, shardCandidateCounts: [], shardOrders: [] },
    manifestBytes: Buffer.alloc(0),
    manifestHash: '',
    meta: { acceptedAt: 0 as UnixMs, traceparent: null, receivedAt: null },
    closeAt: deadline as UnixMs,
    isOwned: () => true,
    cameLate: false,
  });
}

// Guards against rounds that are closed late because their timer was set before the clock was.
test('a clock that is set forward: what is due by it is due when the timers are told', () => {
  jest.useFakeTimers();
  try {
    const timers = new DeadlineTimers();
    const due: string[] = [];
    const at = Date.now() + 10_000;
    timers.set('r', { at, notBefore: 0, costMs: 0 }, () => due.push('r'));
    jest.advanceTimersByTime(100);
    jest.setSystemTime(at + 1);
    timers.plan();
    expect(due).toEqual(['r']);
    timers.plan();
    expect(due).toEqual(['r']);
  } finally {
    jest.useRealTimers();
  }
});

describe('the close budget', () => {
  test('is the largest recent close plus the margin', () => {
    let now = 0;
    const budget = new CloseBudget(150, () => now);
    expect(budget.budgetMs()).toBe(150);
    budget.record(40.2, 0);
    budget.record(12, 0);
    expect(budget.budgetMs()).toBe(191); // ceil(40.2) + 150
    now = 300_001; // both are forgotten after 300 s
    expect(budget.budgetMs()).toBe(150);
  });

  test('one stall, whatever closes it met, costs half a second; what comes again counts in full', () => {
    let now = 0;
    const budget = new CloseBudget(150, () => now);
    for (const ms of [4_800, 4_700, 4_900]) budget.record(ms, 0);
    expect(budget.closeAt(0, 30_000, 0)).toBe(29_350); // 30,000 − (500 + 150)
    now = 20_000;
    budget.record(30, 0);
    expect(budget.budgetMs()).toBe(650);
    budget.record(1_200, 0);
    expect(budget.budgetMs()).toBe(1_350); // the smaller of 4,900 and 1,200, plus 150
  });

  test('is bounded, and takes at most half of a short round', () => {
    let now = 0;
    const budget = new CloseBudget(150, () => now);
    expect(budget.closeAt(0, 1_000, 0)).toBe(850);
    expect(budget.closeAt(900, 1_000, 0)).toBe(950); // half of 100 ms
    expect(budget.closeAt(2_000, 1_000, 0)).toBe(1_000); // accepted after its deadline
    budget.record(60_000, 0);
    now = 10_000;
    budget.record(60_000, 0);
    expect(budget.budgetMs()).toBe(5_000);
  });
});

test('what large rounds take a candidate is learned: at once where it grows, slowly where it falls', () => {
  const budget = new CloseBudget(150, () => 0);
  // Nothing is known yet: 60,000 − (150 + 0.03 · 100,000).
  expect(budget.closeAt(0, 60_000, 100_000)).toBe(56_850);
  // 400 ms are 0.004 ms a candidate; after 60 of them 0.004 + 0.9^60 · 0.016 = 0.00403 is known: 150 + 1.5 · 403 before.
  for (let i = 0; i < 60; i++) budget.record(400, 100_000);
  expect(60_000 - budget.closeAt(0, 60_000, 100_000)).toBeGreaterThanOrEqual(750);
  expect(60_000 - budget.closeAt(0, 60_000, 100_000)).toBeLessThan(760);
  // Small rounds have nothing to do with it: 0.03 · 2,000.
  expect(budget.closeAt(0, 60_000, 2_000)).toBe(59_790);
  // One of 1,000 ms counts from then on: 1.5 · 0.01 · 100,000, and what it took beyond the 605 ms expected.
  budget.record(1_000, 100_000);
  const later = 60_000 - budget.closeAt(0, 60_000, 100_000);
  expect(later).toBeGreaterThanOrEqual(150 + 1_500 + 394);
  expect(later).toBeLessThan(150 + 1_500 + 400);
});

test('a large round begins to close earlier, and does not make small ones do so', () => {
  const budget = new CloseBudget(150, () => 0);
  expect(budget.closeAt(0, 30_000, 40_000)).toBe(28_650); // 30,000 − (150 + 0.03 · 40,000)
  budget.record(1_250, 40_000); // 50 ms more than expected
  expect(budget.budgetMs()).toBe(200);
});

test('many rounds of one time begin so much earlier that the last one begins in time', () => {
  const budget = new CloseBudget(150, () => 0);
  const due = budget.dueOf(0, 30_000, 29_850, 0);
  expect(due).toEqual({ at: 29_850, notBefore: 24_850, costMs: 6 });
  expect(firstStart(Array.from({ length: 200 }, () => due))).toBe(28_656); // 29,850 − 199 · 6
  expect(firstStart(Array.from({ length: 2_000 }, () => due))).toBe(24_850); // 5 s are the most
  expect(firstStart([{ ...due, at: 20_000, notBefore: 15_000 }, due])).toBe(20_000);
  expect(firstStart([])).toBe(Infinity);
  expect(budget.dueOf(0, 1_000, 850, 1_000)).toEqual({ at: 850, notBefore: 500, costMs: 16 });
  budget.recordTurns(100, 1_200, 20_000);
  expect(budget.dueOf(0, 30_000, 29_850, 0).costMs).toBe(10); // (1,200 − 0.01 · 20,000) / 100
  budget.recordTurns(100, 500, 0);
  expect(budget.dueOf(0, 30_000, 29_850, 0).costMs).toBeCloseTo(9.5); // 10 + 0.1 · (5 − 10)
  budget.recordTurns(7, 7_000, 0);
  expect(budget.dueOf(0, 30_000, 29_850, 0).costMs).toBeCloseTo(9.5);
});

describe('deadline timers', () => {
  const alone = (at: number) => ({ at, notBefore: 0, costMs: 0 });
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());

  test('fire once at their time, also beyond the longest timer of Node', () => {
    const timers = new DeadlineTimers();
    const fired: string[] = [];
    const year = 365 * 86_400_000;
    timers.set('soon', alone(100), () => fired.push('soon'));
    timers.set('far', alone(year), () => fired.push('far'));
    jest.advanceTimersByTime(100);
    expect(fired).toEqual(['soon']);
    jest.advanceTimersByTime(year - 101);
    expect(fired).toEqual(['soon']);
    jest.advanceTimersByTime(1);
    expect(fired).toEqual(['soon', 'far']);
  });

  test('a herd fires one after the other, the last at its time', () => {
    const timers = new DeadlineTimers();
    const fired: number[] = [];
    for (let i = 0; i < 50; i++) {
      timers.set(`k${i}`, { at: 1_000, notBefore: 0, costMs: 10 }, () => fired.push(Date.now()));
    }
    jest.advanceTimersByTime(2_000);
    expect(fired).toEqual(Array.from({ length: 50 }, (_, i) => 510 + 10 * i)); // 1,000 − 49 · 10
  });

  test('a cleared or replaced timer does not fire', () => {
    const timers = new DeadlineTimers();
    const fired: string[] = [];
    timers.set('a', alone(10), () => fired.push('first'));
    timers.set('a', alone(20), () => fired.push('second'));
    timers.set('b', alone(10), () => fired.push('b'));
    timers.clear('b');
    jest.advanceTimersByTime(50);
    expect(fired).toEqual(['second']);
  });
});

describe('due rounds', () => {
  const noFault = (_: OpenRound, error: unknown) => {
    throw error;
  };
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('that come together are closed in the order of their deadlines, one after the other', async () => {
    const closed: number[] = [];
    const due = new DueRounds(
      (round) => {
        closed.push(round.round.deadline);
        return Promise.resolve();
      },
      noFault,
      () => true,
    );
    for (const deadline of [3, 1, 2]) due.add(openRound(deadline), true);
    await jest.advanceTimersByTimeAsync(19);
    expect(closed).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(closed).toEqual([1, 2, 3]);
  });

  test('one that fails is reported and holds back none of the others, nor later ones', async () => {
    const closed: number[] = [];
    const failed: number[] = [];
    const close = ({ round }: OpenRound) => {
      if (round.deadline === 1) return Promise.reject(new Error('no'));
      closed.push(round.deadline);
      return Promise.resolve();
    };
    const due = new DueRounds(
      close,
      ({ round }) => failed.push(round.deadline),
      () => true,
    );
    for (const deadline of [1, 2]) due.add(openRound(deadline), false);
    await jest.advanceTimersByTimeAsync(0);
    due.add(openRound(3), false);
    await jest.advanceTimersByTimeAsync(0);
    expect({ closed, failed }).toEqual({ closed: [2, 3], failed: [1] });
  });

  test('a few of them are on their way at once, begun in the order of their deadlines', async () => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const close = ({ round }: OpenRound) => {
      begun.push(round.deadline);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const due = new DueRounds(close, noFault, () => true);
    for (let deadline = 20; deadline > 0; deadline--) due.add(openRound(deadline), false);
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    ends[0]!();
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toHaveLength(9);
  });

  test('wait while Redis is away', async () => {
    const closed: number[] = [];
    let isThere = false;
    const due = new DueRounds(
      (round) => {
        closed.push(round.round.deadline);
        return Promise.resolve();
      },
      noFault,
      () => isThere,
    );
    due.add(openRound(2), false);
    due.add(openRound(1), false);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(closed).toEqual([]);
    isThere = true;
    due.resume();
    await jest.advanceTimersByTimeAsync(0);
    expect(closed).toEqual([1, 2]);
  });
});

test('job ids have no colon and are no numbers, whatever the round is called', () => {
  for (const key of ['a\u001fb\u001f7', '12', 'x:y']) expect(jobIdOf(key)).toMatch(/^r-[0-9a-f]{40}$/);
});
