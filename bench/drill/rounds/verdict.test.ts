import type { Decision } from '#schemas/domain';
import { outOfOrder } from '../drills/servers';
import type { Published } from './decided';
import type { SentRound } from './sender';
import { standing, unexplainedOrders, verdictOf } from './verdict';

interface Shape {
  readonly decisionId?: string;
  readonly deadline?: number;
  readonly assigned?: readonly string[];
  readonly left?: readonly string[];
  readonly reason?: string;
  readonly shards?: readonly number[];
}

function decision({
  decisionId = 'd',
  deadline = 1_000,
  assigned = ['a'],
  left = ['b'],
  reason = 'cheaper_to_wait',
  shards = [0],
}: Shape = {}) {
  const content = {
    assignments: [{ orderIds: assigned }],
    unassigned: left.map((orderId) => ({ orderId, reason })),
    shards: shards.map((shardIndex) => ({ shardIndex })),
    coverage: 1,
  };
  return { decisionId, deadline, content } as unknown as Decision;
}

const published = (shape: Shape, appendedAt = 900, outage?: string): Published => ({
  decision: decision(shape),
  appendedAt,
  outage,
  closedAt: appendedAt,
});

const sent = (roundId: string, accepted = true): SentRound => ({
  roundId,
  deadline: 1_000,
  sentAt: 0,
  openOrderIds: ['a', 'b'],
  accepted,
  refusal: null,
});

test('an order has one end: an assignment or a reason', () => {
  const unexplained = (shape: Shape) => unexplainedOrders(decision(shape), ['a', 'b']);
  expect(unexplained({})).toBe(0);
  expect(unexplained({ left: ['a', 'b'] })).toBe(1);
  expect(unexplained({ assigned: ['a', 'a'] })).toBe(1);
  expect(unexplained({ left: [] })).toBe(1); // b is nowhere
  expect(unexplained({ reason: '' })).toBe(1); // b has no reason
  expect(unexplained({ assigned: [], left: [] })).toBe(2);
});

test('lost, twice, late and marked are told apart', () => {
  const rounds = ['good', 'lost', 'twice', 'late', 'marked'].map((id) => sent(id));
  const verdict = verdictOf(
    [...rounds, sent('refused', false)],
    new Map([
      ['good', [published({})]],
      ['twice', [published({ shards: [0, 0] }), published({ decisionId: 'e' })]],
      ['late', [published({}, 1_001)]],
      ['marked', [published({}, 5_000, 'redis')]],
    ]),
  );
  expect(verdict).toEqual({
    accepted: 5,
    refused: 1,
    lost: 1,
    decidedTwice: 1,
    shardsTwice: 1,
    late: 2,
    lateUnmarked: 1,
    marked: 1,
    coverage: 1,
    unexplained: 0,
  });
  const silent = new Map([['good', [published({ left: [] })]]]);
  expect(verdictOf([sent('good')], silent).unexplained).toBe(1);
  const failed = standing(verdict).filter(({ passed }) => !passed);
  expect(failed.map(({ what }) => what)).toEqual([
    'lost',
    'decided twice',
    'shards counted twice',
    'late without a mark',
  ]);
});

test('closes out of the order of their deadlines are counted; those of one millisecond have none', () => {
  const at = (deadline: number, closedAt: number) => published({ deadline }, closedAt);
  expect(outOfOrder([at(3, 10), at(1, 10), at(2, 10), at(4, 11)])).toBe(0);
  expect(outOfOrder([at(1, 10), at(3, 11), at(2, 12)])).toBe(1);
});
