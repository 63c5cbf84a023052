import type { ShardIndex } from '#schemas/brands';
import type { DecisionContent } from '#schemas/domain';
import { dayFailure, shardFaultsText, unsolvedRounds } from './day-failure';

type ShardStatus = DecisionContent['shards'][number]['status'];

function decision(total: number, arrived: number, shards: [ShardStatus, string | null][]): DecisionContent {
  return {
    candidatesTotal: total,
    candidatesArrived: arrived,
    shards: shards.map(([status, errorCode], index) => ({
      shardIndex: index as ShardIndex,
      status,
      errorCode,
    })),
  } as unknown as DecisionContent;
}

const solved = decision(10, 10, [['solved', null]]);
const half = decision(10, 5, [
  ['solved', null],
  ['missing', null],
]);
const failed = decision(10, 0, [
  ['failed', 'MODEL_UNAVAILABLE'],
  ['failed', 'MODEL_UNAVAILABLE'],
]);
const nothingToDo = decision(0, 0, []);

test('rounds without a costed candidate are counted with their reasons, the most frequent first', () => {
  const counted = unsolvedRounds([half, failed, nothingToDo, solved]);
  expect(counted).toEqual({ asked: 3, unsolved: 1, shardFaults: { missing: 1, MODEL_UNAVAILABLE: 2 } });
  expect(shardFaultsText(counted.shardFaults)).toBe('MODEL_UNAVAILABLE 2, missing 1');
});

test.each([
  ['every round solved', [solved, solved], 5, null],
  ['nothing to give', [nothingToDo, solved], 0, null],
  // 1 of 3 is less than half.
  ['a few rounds lost', [failed, solved, solved], 5, null],
  [
    'nothing solved',
    [failed, failed, nothingToDo],
    0,
    'no order was delivered: in 2 of 2 rounds with candidates no shard was solved (MODEL_UNAVAILABLE 4)',
  ],
  [
    'a few rounds lost and nothing delivered',
    [failed, solved, solved],
    0,
    'no order was delivered: in 1 of 3 rounds with candidates no shard was solved (MODEL_UNAVAILABLE 2)',
  ],
  [
    'half of the rounds lost',
    [failed, solved],
    3,
    'only 3 orders were delivered: in 1 of 2 rounds with candidates no shard was solved (MODEL_UNAVAILABLE 2)',
  ],
] as const)('%s', (_name, decisions, delivered, failure) => {
  expect(dayFailure(unsolvedRounds(decisions), delivered)).toBe(failure);
});
