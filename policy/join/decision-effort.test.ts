import { effortOfFirst, keptMs, nextDecision, type WaitingDecision } from './decision-effort';

const decision = (until: number | null, fullMs = 100, reducedMs = 30): WaitingDecision => ({
  until,
  fullMs,
  reducedMs,
});

test.each([
  ['alone and in time: 1000 + 100 ≤ 1100', [decision(1_100)], 'full'],
  ['alone, 1 ms short of the full effort', [decision(1_099)], 'reduced'],
  ['alone, 1 ms short of the reduced one', [decision(1_029)], 'none'],
  ['overdue and alone', [decision(null)], 'full'],
  ['two in time: the second ends at 100 + 30', [decision(1_200), decision(1_130)], 'full'],
  ['the second would end 1 ms too late', [decision(1_200), decision(1_129)], 'reduced'],
  ['the second is lost in any case: 30 + 30 > 59', [decision(1_200), decision(1_059)], 'full'],
  ['an overdue one behind it can wait', [decision(1_100), decision(null)], 'full'],
  ['an overdue one does not take the time of the next', [decision(null), decision(1_060)], 'reduced'],
  [
    'of three, the third counts: 100 + 30 + 30 > 1159',
    [1_200, 1_200, 1_159].map((at) => decision(at)),
    'reduced',
  ],
  ['a lost one between costs no time: 100 + 30', [decision(1_100), decision(1_010), decision(1_130)], 'full'],
] as const)('%s', (_, waiting, expected) => expect(effortOfFirst(waiting, 1_000)).toBe(expected));

test.each([
  ['a third of what is left: 900 / 3', 900, 100, 300],
  ['more where more is needed', 900, 350, 350],
  ['but two thirds at most: 900 · 2 / 3', 900, 800, 600],
])('kept of the time: %s', (_, left, needed, kept) => expect(keptMs(left, needed)).toBe(kept));

test('nothing waits: nothing is in the way', () => expect(effortOfFirst([], 0)).toBe('full'));

test('of k equal ones due together all make it where all reduced ones do', () => {
  // 8 · 30 = 240 ≤ 250; each full one takes the time of 70 / 30 others, so the first are reduced.
  let now = 1_000;
  const made: string[] = [];
  for (let left = 8; left > 0; left--) {
    const waiting = Array.from({ length: left }, () => decision(1_250));
    const effort = effortOfFirst(waiting, now);
    made.push(effort);
    now += effort === 'full' ? 100 : 30;
  }
  expect(made).toEqual(Array(8).fill('reduced'));
  expect(now).toBeLessThanOrEqual(1_250);
});

const overdue = (yieldsUntil: number): WaitingDecision => ({ ...decision(null), yieldsUntil });

test.each([
  [
    "an overdue one goes first where it takes nobody's time: 30 + 30 ≤ 60",
    [overdue(3_000), decision(1_060)],
    0,
    'reduced',
  ],
  [
    'it lets one in time go first that would miss it: 30 + 30 > 59',
    [overdue(3_000), decision(1_059)],
    1,
    'reduced',
  ],
  ['not for one that is lost in any case: 30 > 29', [overdue(3_000), decision(1_029)], 0, 'full'],
  ['nor for ever', [overdue(1_000), decision(1_059)], 0, 'full'],
  [
    'two overdue ones: the first in time goes',
    [overdue(3_000), overdue(3_000), decision(1_050)],
    2,
    'reduced',
  ],
  [
    'with all the effort where only overdue ones are behind it',
    [overdue(3_000), decision(1_100, 100, 90)],
    1,
    'full',
  ],
] as const)('%s', (_, waiting, index, effort) =>
  expect(nextDecision(waiting, 1_000)).toEqual({ index, effort }),
);

test('nothing waits: nothing is next', () => expect(nextDecision([], 0)).toBeNull());
