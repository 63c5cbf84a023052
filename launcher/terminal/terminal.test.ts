import { buildCourier, buildOrder, buildRound } from '../../test/support/build-round';
import type { OrderId, Seconds, ShardIndex } from '#schemas/brands';
import type { DecisionContent } from '#schemas/domain';
import type { DayMetrics } from '#policy/simulation/day-metrics';
import { finalTable } from './final-table';
import { clockOf, roundLine } from './round-line';
import { Terminal } from './terminal';

function written(isTTY: boolean, columns: number, use: (terminal: Terminal) => void): string {
  let text = '';
  use(new Terminal({ isTTY, columns, write: (part: string) => (text += part) }));
  return text;
}

test('on a TTY a status is replaced by what follows; elsewhere there are plain lines only', () => {
  const use = (terminal: Terminal) => {
    terminal.status('starting a rather long list of processes');
    terminal.status('ready');
    terminal.line('up');
  };
  const cleared = '\r\u001b[2K';
  // 30 columns leave 29 for a status: 28 characters and an ellipsis.
  expect(written(true, 30, use)).toBe(`starting a rather long list …${cleared}ready${cleared}up\n`);
  expect(written(false, 30, use)).toBe('starting a rather long list of processes\nready\nup\n');
});

test('a terminal that does not know its width counts as one of 80 columns', () => {
  const text = written(true, 0, (terminal) => terminal.status('x'.repeat(100)));
  expect(text).toBe(`${'x'.repeat(78)}…`);
});

test('a status can be taken away before the words of somebody else; elsewhere it stays', () => {
  const use = (terminal: Terminal) => {
    terminal.status('starting');
    terminal.clear();
    terminal.clear();
  };
  expect(written(true, 30, use)).toBe('starting\r\u001b[2K');
  expect(written(false, 30, use)).toBe('starting\n');
});

test('a status is not cut within a character', () => {
  // 20 columns leave 19: 18 units would end within the tenth pair, so nine pairs and an ellipsis are left.
  const text = written(true, 20, (terminal) => terminal.status(`x${'😀'.repeat(20)}`));
  expect(text).toBe(`x${'😀'.repeat(8)}…`);
});

const decision: DecisionContent = {
  assignments: [],
  moves: [],
  unassigned: [],
  shards: [{ shardIndex: 0 as ShardIndex, status: 'solved', errorCode: null }],
  candidatesTotal: 240,
  candidatesArrived: 240,
  coverage: 1,
  closedBy: 'complete',
  assignmentGap: 0n,
  models: [],
};
const round = buildRound({
  asOf: (10 * 3600 + 300) as Seconds,
  couriers: [buildCourier('c', { held: [{ orderId: 'h' as OrderId, onBoard: true }] })],
  orders: [buildOrder('a'), buildOrder('b'), buildOrder('h')],
});
const report = { round, decision, decisionMs: 83.6, deadlineMs: 2000, late: false, outage: null };

test('a round in one line: two of its three orders are open', () => {
  expect(roundLine(report)).toBe(
    '10:05  open   2  couriers   1  shards  1  candidates   240  coverage 100%  decided   84 of 2000 ms  ' +
      'given   0  sent ahead  0',
  );
});

test('what went wrong stands behind it with its reason', () => {
  const line = roundLine({
    ...report,
    late: true,
    outage: 'redis',
    decision: {
      ...decision,
      coverage: 0.996,
      closedBy: 'deadline',
      shards: [
        { shardIndex: 0 as ShardIndex, status: 'failed', errorCode: 'ENGINE_LOST' },
        { shardIndex: 1 as ShardIndex, status: 'missing', errorCode: null },
      ],
      unassigned: [
        { orderId: 'a' as OrderId, reason: 'engine_lost' },
        { orderId: 'b' as OrderId, reason: 'cheaper_to_wait' },
      ],
    },
  });
  expect(line).toContain('coverage  99%'); // never rounded up to 100
  const notes = line.split('  | ').slice(1);
  expect(notes).toEqual([
    'after an outage (redis)',
    'LATE',
    'closed by deadline',
    'shard 0 failed: ENGINE_LOST',
    'shard 1 missing',
    '1 left out: engine_lost',
  ]);
});

test('the clock of a day, and of the next', () => {
  expect([clockOf(0), clockOf(36_300), clockOf(90_000)]).toEqual(['00:00', '10:05', '1d 01:00']);
});

test('the final table', () => {
  const metrics = { delivered: 598, orders: 600, undeliveredPct: 1 / 3, lateShare: 0.25, lateness: 1.5 };
  const others = {
    clickToDoor: 33,
    clickToDoorP90: 50,
    clickToDoorMinusFloor: 8,
    penalisedClickToDoor: 33.2,
  };
  const rest = { readyToPickup: 2, readyToPickupP90: 6, costPerOrder: 11 };
  const all = { ...metrics, ...others, ...rest } as unknown as DayMetrics;
  const totals = {
    rounds: 151,
    complete: 150,
    byDeadline: 1,
    late: 0,
    afterOutage: 1,
    decisionMsP50: 61.4,
    decisionMsP99: 130,
    asked: 151,
    unsolved: 0,
    shardFaults: {},
  };
  const rules = { targetClickToDoor: 40, maximumClickToDoor: 90, payPerOrder: 10, guaranteedPayPerHour: 15 };
  const outcome = { metrics: all, totals };
  const table = finalTable({ outcome, rules, wallSeconds: 21.55, enginesLost: 0 });
  expect(table).toContain('orders delivered    598 of 600 (0.33% left)');
  expect(table).toContain("cost per order      11.00 of couriers' pay (10 an order, at least 15 an hour)");
  expect(table).toContain('33.20 min (an order left counts 90 min)');
  expect(table).toContain('decision latency    p50 61 ms, p99 130 ms');
  expect(table).toContain('late decisions      0, and 1 after an outage');
  expect(table).toContain('rounds              151: 150 closed complete, 1 by deadline');
  expect(table).not.toMatch(/shards not solved|engines lost/);
  const shardFaults = { missing: 1, ENGINE_LOST: 4 };
  const bad = { ...outcome, totals: { ...totals, shardFaults } };
  const worse = finalTable({ outcome: bad, rules, wallSeconds: 1, enginesLost: 2 });
  expect(worse).toContain('engines lost        2');
  expect(worse).toContain('shards not solved   ENGINE_LOST 4, missing 1');
});
