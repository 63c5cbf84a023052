import type { UnixMs } from '#schemas/brands';
import { decideRound } from '#policy/join/decide-round';
import { decisionRecord } from '#policy/join/decision-record';
import type { Decision, ShardOutcome } from '#schemas/domain';
import { solved, twoEnds } from '../../../test/support/solved-round';
import { RoundJoiner } from './join-rounds';

const at = (appendedAt: number) => ({ appendedAt: appendedAt as UnixMs, headers: [] });
const { manifest, outcomes } = solved(twoEnds(), 1);
const arrived = [...outcomes.values()];
const decisionOf = (used = outcomes): Decision =>
  decisionRecord(
    manifest.round,
    decideRound(manifest, used, used.size === outcomes.size ? 'complete' : 'deadline'),
  );

let joiner: RoundJoiner;
beforeEach(() => {
  joiner = new RoundJoiner();
});
const addRound = (when = 1_000) => joiner.addRound({ ...at(when), manifest });
const addOutcome = (outcome: ShardOutcome, when = 1_100) => joiner.addOutcome({ ...at(when), outcome });

test('a round is whole with its decision and the outcomes that it used, whatever came first', () => {
  joiner.addDecision({ ...at(1_200), decision: decisionOf() });
  arrived.slice(1).forEach((outcome) => addOutcome(outcome));
  addRound();
  expect(joiner.takeWhole()).toEqual([]);
  expect(joiner.oldestOpen()).toBe(1_000);
  addOutcome(arrived[0]!);
  const [round] = joiner.takeWhole();
  expect(round!.outcomes.map(({ outcome }) => outcome.shardIndex)).toEqual(
    [0, 1, 2, 3].slice(0, arrived.length),
  );
  expect(round).toMatchObject({ appendedAt: 1_000, faults: [], decision: { appendedAt: 1_200 } });
  expect(joiner.oldestOpen()).toBeNull();
});

test('of several the first counts: manifests, valid outcomes, decisions', () => {
  addRound(1_000);
  addRound(1_001);
  const [first] = arrived;
  addOutcome({ ...first!, candidateCount: 99 }, 1_050); // contradicts the manifest
  addOutcome(first!, 1_060);
  addOutcome({ ...first!, status: 'failed', errorCode: 'ENGINE_LOST' }, 1_070);
  arrived.slice(1).forEach((outcome) => addOutcome(outcome));
  joiner.addDecision({ ...at(1_200), decision: decisionOf() });
  joiner.addDecision({ ...at(1_300), decision: decisionOf() });
  const [round, ...more] = joiner.takeWhole();
  expect(more).toEqual([]);
  expect(round).toMatchObject({ appendedAt: 1_000, decision: { appendedAt: 1_200 } });
  expect(round!.outcomes[0]).toMatchObject({ appendedAt: 1_060, outcome: { status: 'solved' } });
  // Repeated behind its end: no second round.
  addRound(1_400);
  expect(joiner.oldestOpen()).toBeNull();
});

test('of a round that closed by deadline, an outcome that came after it is not part', () => {
  const some = new Map([...outcomes].slice(1));
  addRound();
  joiner.addDecision({ ...at(1_200), decision: decisionOf(some) });
  arrived.forEach((outcome) => addOutcome(outcome, 1_300));
  const [round] = joiner.takeWhole();
  expect(round!.outcomes.map(({ outcome }) => outcome.shardIndex as number)).toEqual([...some.keys()]);
});

test('what is not whole says why', () => {
  addRound();
  arrived.slice(2).forEach((outcome) => addOutcome(outcome));
  const decision = decisionOf();
  joiner.addDecision({ ...at(1_200), decision: { ...decision, contentHash: 'f'.repeat(64) } });
  expect(joiner.takeWhole()).toEqual([]);
  expect(joiner.takeAll()[0]!.faults).toEqual([
    "the decision's content has another hash than it says",
    'no outcome of shard 0',
    'no outcome of shard 1',
  ]);
  const other = new RoundJoiner();
  other.addRound({ ...at(1), manifest });
  expect(other.latestDeadline()).toBe(manifest.round.deadline);
  expect(other.takeAll()).toMatchObject([{ faults: ['no decision'], decision: null }]);
  const third = new RoundJoiner();
  third.addRound({ ...at(1), manifest });
  const content = { ...decision.content, shards: decision.content.shards.slice(1) };
  third.addDecision({ ...at(2), decision: decisionRecord(manifest.round, content) });
  expect(third.takeAll()[0]!.faults[0]).toMatch(/the decision has \d shards, the manifest \d/);
});

test('rounds come in the order of their decisions, those of one millisecond as they stood', () => {
  const names = ['a', 'b', 'c', 'd'];
  const rounds = names.map((roundId) => ({
    manifest: { ...manifest, round: { ...manifest.round, roundId: roundId as never }, shardCount: 0 },
    decision: decisionRecord(
      { ...manifest.round, roundId: roundId as never },
      { ...decisionOf().content, shards: [] },
    ),
  }));
  rounds.forEach(({ manifest: one }) => joiner.addRound({ ...at(1), manifest: one }));
  for (const [index, when] of [
    [1, 5],
    [3, 4],
    [0, 5],
    [2, 9],
  ] as const) {
    joiner.addDecision({ ...at(when), decision: rounds[index]!.decision });
  }
  expect(joiner.takeWhole().map(({ manifest: one }) => one.round.roundId)).toEqual(['d', 'b', 'a', 'c']);
});

test('what waits for a round that never comes is forgotten', () => {
  addOutcome(arrived[0]!, 1_000);
  joiner.addDecision({ ...at(1_000), decision: decisionOf() });
  joiner.forget(121_001 as UnixMs, 0); // 120 s and a millisecond later
  addRound();
  expect(joiner.takeAll()[0]).toMatchObject({ outcomes: [], decision: null });
});
