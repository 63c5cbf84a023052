import { TravelMatrices } from '#lib/travel-matrices';
import { roundIndex } from '#policy/join/round-index';
import { cutRound } from '#policy/sharding/index';
import { practiceModels, practiceOutcomes, practiceRound } from '#policy/simulation/practice';
import { decisionsCodec, outcomesCodec } from '#schemas/codec';
import { bruteCostShard } from '../../../test/support/brute-cost-shard';
import { buildCourier, buildOrder, buildPolicy, buildRound } from '../../../test/support/build-round';
import { openRoundOf } from '../../../test/support/open-round';
import type { OpenRound } from '../join/open-round';
import { decideAndEncode, decideJob, encodeNothing } from './decide-job';

const models = [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }];

const means = { matrices: new TravelMatrices('no such folder') };
const jobOf = (open: OpenRound) => ({
  manifest: open.parts.manifest,
  outcomes: open.outcomes(),
  closedBy: 'complete' as const,
  stale: false,
});

function solvedRound(): OpenRound {
  const { manifest, shards } = cutRound(
    buildRound({ couriers: [buildCourier('k')], orders: [buildOrder('a')] }),
    models,
  );
  const open = openRoundOf(manifest);
  for (const shard of shards) {
    const outcome = bruteCostShard(shard);
    expect(open.add(outcome, outcomesCodec.encode(outcome))).toEqual({ use: 'used', fault: null });
  }
  return open;
}

test('a round by speed needs no matrix', () => {
  const content = decideJob(jobOf(solvedRound()), means);
  expect(content.assignments).toHaveLength(1);
  expect(content.closedBy).toBe('complete');
});

test('with an index made before the decision is the same', () => {
  const job = jobOf(solvedRound());
  const own = { ...job, index: roundIndex(job.manifest.round) };
  expect(decideJob(own, means)).toEqual(decideJob(job, means));
});

test('without its travel matrix a round is decided all the same, its shards failed', () => {
  const open = solvedRound();
  const travel = { kind: 'matrix', contentHash: 'f'.repeat(64), quantumSeconds: 1, known: true };
  Object.assign(open.parts.manifest.round, { policy: buildPolicy({ travel: travel as never }) });
  const content = decideJob(jobOf(open), means);
  expect(content.assignments).toEqual([]);
  expect(content.shards[0]).toMatchObject({ status: 'failed', errorCode: 'TRAVEL_MATRIX_UNKNOWN' });
  expect(content.unassigned).toEqual([{ orderId: 'a', reason: 'shard_failed' }]);
});

test('a round that neither its plans nor its points can decide gets a decision without them', () => {
  const open = solvedRound();
  Object.assign(open.parts.manifest.round.orders[0]!, { pickup: undefined });
  const thrown: unknown[] = [];
  const onThrown = (error: unknown) => thrown.push(error);
  const { content, bytes } = decideAndEncode(jobOf(open), means, onThrown);
  expect(thrown).toHaveLength(2);
  expect(content).toMatchObject({ assignments: [], coverage: 0, closedBy: 'complete', candidatesTotal: 1 });
  expect(content.shards[0]).toEqual({ shardIndex: 0, status: 'failed', errorCode: 'INTERNAL' });
  expect(content.unassigned).toEqual([{ orderId: 'a', reason: 'shard_failed' }]);
  expect(decisionsCodec.decode(bytes).content).toEqual(content);
});

test('a decision that can not be encoded counts as one that can not be made', () => {
  const open = solvedRound();
  Object.assign(open.parts.manifest, { models: 'none' });
  const onThrown = jest.fn();
  expect(() => decideAndEncode(jobOf(open), means, onThrown)).toThrow();
  expect(onThrown).toHaveBeenCalledTimes(2);
});

// Guards against a round that is decided without its plans because the addon throws.
test('a packer that throws is told of; the policy itself decides, with the same content', () => {
  const { manifest, shards } = cutRound(practiceRound(0), practiceModels, { shardsPerRound: 32 });
  const outcomes = practiceOutcomes(manifest, shards);
  const job = { manifest, outcomes, closedBy: 'complete' as const, stale: false };
  const thrown: unknown[] = [];
  const packer = () => {
    throw new Error('no memory');
  };
  const { content } = decideAndEncode(job, { ...means, packer }, (error) => thrown.push(error));
  expect(thrown).toEqual([new Error('no memory')]);
  expect(content).toEqual(decideJob(job, means));
  expect(content.assignments.length).toBeGreaterThan(0);
});

test('outcomes that come after the close began are not used', () => {
  const open = solvedRound();
  open.state = 'closing';
  const [outcome] = [...open.outcomes().values()];
  expect(open.add(outcome!, Buffer.alloc(0)).use).toBe('after_close');
});

test('a round without time left gets a decision whose shards are late, which says why', () => {
  const { content } = encodeNothing(jobOf(solvedRound()), 'DEADLINE_EXCEEDED');
  expect(content).toMatchObject({ assignments: [], coverage: 0, closedBy: 'complete' });
  expect(content.shards).toEqual([{ shardIndex: 0, status: 'late', errorCode: 'DEADLINE_EXCEEDED' }]);
  expect(content.unassigned).toEqual([{ orderId: 'a', reason: 'shard_late' }]);
});
