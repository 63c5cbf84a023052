import { newTrace, type RoundTrace } from '../pipeline/decision-log';
import { firstGoodMs, report } from './report';

function trace(deadline: number, changes: Partial<RoundTrace> = {}): RoundTrace {
  return {
    ...newTrace(0, deadline),
    decidedAt: 900,
    closedBy: 'complete',
    coverage: 1,
    decisionBytes: 1,
    ...changes,
  };
}

test('the first good outcome is one that was begun after the kill', () => {
  const good = [
    { startedAt: 990, appendedAt: 1_010 },
    { startedAt: 1_200, appendedAt: 1_220 },
    { startedAt: 1_190, appendedAt: 1_215 },
  ];
  expect(firstGoodMs(1_000, good)).toBe(215);
  expect(firstGoodMs(2_000, good)).toBe(Infinity);
});

test('a shard is lost without an outcome by the deadline, whatever the outcome says', () => {
  const rounds = new Map([
    ['a', trace(1_000)],
    ['b', trace(1_000, { coverage: 0.5 })],
    ['c', trace(1_000, { refusal: '503 busy', decidedAt: null })],
  ]);
  const shards = [
    { roundId: 'a', firstOutcomeAt: 1_000, outcomes: 2 },
    { roundId: 'a', firstOutcomeAt: 1_001, outcomes: 1 },
    { roundId: 'b', firstOutcomeAt: null, outcomes: 0 },
    { roundId: 'c', firstOutcomeAt: null, outcomes: 0 },
    { roundId: 'of the warm-up of others', firstOutcomeAt: null, outcomes: 0 },
  ];
  const way = { standby: true, deadlineMs: 1_000 };
  const good = [{ startedAt: 600, appendedAt: 700 }];
  expect(
    report({ way, kills: [{ at: 500, endedMs: 20 }], rounds, shards, good, duplicatesUsed: 0 }),
  ).toMatchObject({
    kills: 1,
    lostShards: 2,
    lostFarFromKills: 0,
    degradedRounds: 1,
    refused: 1,
    undecided: 0,
    firstGoodMsP50: 200,
    repeatedOutcomes: 1,
  });
});
