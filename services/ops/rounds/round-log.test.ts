import type { DecisionSummary } from '#schemas/summaries';
import { buildDecisionView, buildRoundView } from '../../../test/support/build-round-view';
import { RoundLog } from './round-log';
import { decisionMs, lostAfterMs, roundState, type RoundView } from './round-view';

const decisionOf = (round: RoundView, at: number, changes = {}) => ({
  summary: round as unknown as DecisionSummary,
  view: buildDecisionView(at, changes),
});
const ids = (rounds: readonly RoundView[]) => rounds.map(({ roundId }) => roundId as string);

test('a round waits from its manifest to its decision; the first of each counts', () => {
  const log = new RoundLog(10);
  const round = buildRoundView('a', 100);
  log.manifest(round);
  log.manifest({ ...round, manifestAt: 500 });
  expect(ids(log.waiting(200))).toEqual(['a']);
  log.decision(decisionOf(round, 150));
  log.decision(decisionOf(round, 900));
  expect(log.waiting(200)).toEqual([]);
  // From the body at 80 ms
  expect(decisionMs(log.find(round)!)).toBe(70);
});

test('a decision whose manifest comes later is joined with it', () => {
  const log = new RoundLog(10);
  const round = buildRoundView('a', 100);
  log.decision(decisionOf(round, 150));
  expect(log.find(round)).toBeNull();
  log.manifest(round);
  expect(log.find(round)!.decision!.decidedAt).toBe(150);
});

test('of many rounds the oldest decided ones are forgotten, waiting ones only where all wait', () => {
  const log = new RoundLog(3);
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((id, i) => buildRoundView(id, 100 + i));
  log.manifest(a!);
  log.manifest(b!);
  log.decision(decisionOf(b!, 150));
  log.manifest(c!);
  log.manifest(d!);
  expect(ids([...log.all()])).toEqual(['a', 'c', 'd']);
  log.manifest(e!);
  expect(ids([...log.all()])).toEqual(['c', 'd', 'e']);
});

test('what changed is told once', () => {
  const log = new RoundLog(10);
  const round = buildRoundView('a', 100);
  log.manifest(round);
  log.manifest(buildRoundView('b', 101));
  expect(ids(log.takeChanged(10))).toEqual(['a', 'b']);
  log.decision(decisionOf(round, 150));
  expect(ids(log.takeChanged(10))).toEqual(['a']);
  expect(log.takeChanged(10)).toEqual([]);
});

test('rounds are found by parts of their ids, the newest first', () => {
  const log = new RoundLog(10);
  log.manifest(buildRoundView('lunch-1', 100));
  log.manifest(buildRoundView('lunch-2', 101, { traceId: 'ab'.repeat(16) }));
  expect(ids(log.search('LUNCH', 10))).toEqual(['lunch-2', 'lunch-1']);
  expect(ids(log.search('abab', 10))).toEqual(['lunch-2']);
  expect(log.search('dinner', 10)).toEqual([]);
});

test.each([
  [buildDecisionView(900), 'complete'],
  [buildDecisionView(900, { coverage: 0.9, closedBy: 'deadline' }), 'partial'],
  [buildDecisionView(900, { coverage: 0.9 }), 'partial'],
  // The deadline is at 100 - 20 + 1,000 = 1,080
  [buildDecisionView(1_081), 'late'],
  [null, 'waiting'],
] as const)('the state of a round: %#', (decision, state) => {
  expect(roundState(buildRoundView('a', 100, { decision }), 1_080)).toBe(state);
});

test('a round without a decision is overdue, and lost after ten minutes: it waits for nothing then', () => {
  const log = new RoundLog(10);
  const round = buildRoundView('a', 100);
  log.manifest(round);
  expect(roundState(round, 1_330)).toBe('waiting');
  // 250 ms after its deadline a decision would be known
  expect(roundState(round, 1_331)).toBe('overdue');
  expect(roundState(round, 1_081 + lostAfterMs)).toBe('lost');
  expect(log.waiting(1_081 + lostAfterMs)).toEqual([]);
});
