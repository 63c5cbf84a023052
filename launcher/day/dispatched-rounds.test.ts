import { buildOrder, buildRound } from '../../test/support/build-round';
import type { RoundId, UnixMs } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import type { DecisionReceipt } from '../../client';
import { DispatchedRounds, type RoundReport } from './dispatched-rounds';

const absent = new RoundhouseError('DEPENDENCY_ABSENT', 'Kafka is away');
const content = { shards: [], candidatesTotal: 0, candidatesArrived: 0, closedBy: 'complete' };

function receiptOf({ roundId, deadline }: DispatchRound): DecisionReceipt {
  const decision = { roundId, deadline, content } as unknown as DecisionReceipt['decision'];
  return { decision, appendedAt: deadline - 1, closedAt: null, outage: null };
}

/** A pipeline that fails with these errors, one a round, and then decides. */
function pipelineThat(fails: readonly unknown[], abort = new AbortController()) {
  const sent: DispatchRound[] = [];
  const reports: RoundReport[] = [];
  const dispatch = (round: unknown) => {
    const error = fails[sent.length];
    sent.push(round as DispatchRound);
    return error === undefined ? Promise.resolve(receiptOf(round as DispatchRound)) : Promise.reject(error);
  };
  const rounds = new DispatchedRounds({ dispatch }, (report) => reports.push(report), abort.signal);
  return { sent, reports, rounds };
}

const roundOf = (leadMs: number) =>
  buildRound({
    roundId: 'r1' as RoundId,
    deadline: (Date.now() + leadMs) as UnixMs,
    orders: [buildOrder('a')],
  });

test('a round that an outage kept out goes out as another one, with as much time as it had', async () => {
  const { sent, reports, rounds } = pipelineThat([absent, absent]);
  const round = roundOf(5_000);
  await rounds.dispatch(round);
  expect(sent.map(({ roundId }) => roundId)).toEqual(['r1', 'r1-again-1', 'r1-again-2']);
  expect(sent[2]).toEqual({ ...round, roundId: 'r1-again-2', deadline: sent[2]!.deadline });
  // 5,000 ms from the moment of sending, which is after that of the round's making.
  expect(sent[2]!.deadline).toBeGreaterThanOrEqual(round.deadline - 1);
  expect(reports.map((report) => report.round)).toEqual([round]);
  expect(rounds.totals()).toMatchObject({ rounds: 1, complete: 1, late: 0 });
});

// By the clock alone the first of these was sent again whenever it failed late, and a round with a real fault, too.
test.each([
  new RoundhouseError('DEADLINE_EXCEEDED', 'no decision of round r1'),
  new RoundhouseError('ROUND_INVALID', 'x', [{ path: 'orders[0].size', value: '0', limit: 'at least 1' }]),
  new TypeError('a fault of ours'),
])('%s ends the day, however late it comes', async (error) => {
  const { sent, rounds } = pipelineThat([error]);
  await expect(rounds.dispatch(roundOf(-60_000))).rejects.toBe(error);
  expect(sent).toHaveLength(1);
});

test('an error that may pass is tried again however early it comes, ten times', async () => {
  const { sent, rounds } = pipelineThat(Array.from({ length: 20 }, () => absent));
  await expect(rounds.dispatch(roundOf(600_000))).rejects.toBe(absent);
  expect(sent).toHaveLength(11);
});

test('a Ctrl-C ends it at once', async () => {
  const abort = new AbortController();
  const { sent, rounds } = pipelineThat([absent], abort);
  abort.abort(new Error('ended by SIGINT'));
  await expect(rounds.dispatch(roundOf(5_000))).rejects.toThrow('ended by SIGINT');
  expect(sent).toHaveLength(1);
});
