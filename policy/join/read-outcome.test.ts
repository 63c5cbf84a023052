import type { ShardIndex } from '#schemas/brands';
import type { ShardOutcome } from '#schemas/domain';
import { PLAN_RECORD_BYTES, PlanRecord } from '#schemas/tensors';
import { models, solved, twoEnds } from '../../test/support/solved-round';
import { decodePlans, encodePlans } from '../routing/index';
import { decideRound } from './decide-round';
import { outcomeFault } from './read-outcome';

describe('outcomes that are not of this round', () => {
  const { manifest, outcomes } = solved(twoEnds());
  const good = outcomes.get(0)!;
  const withRecord = (change: (view: DataView) => void): ShardOutcome => {
    const plans = good.plans.slice();
    change(new DataView(plans.buffer));
    return { ...good, plans };
  };

  test('a good one has no fault', () => expect(outcomeFault(manifest, good)).toBeNull());

  test.each<[string, ShardOutcome, string]>([
    ['another run', { ...good, runId: 'x' as typeof good.runId }, 'ids of another round'],
    ['a shard too many', { ...good, shardIndex: 9 as ShardIndex }, 'shardIndex 9'],
    ['a negative shard', { ...good, shardIndex: -1 as ShardIndex }, 'shardIndex -1'],
    ['another count of shards', { ...good, shardCount: 7 }, 'shardCount 7'],
    ['another version', { ...good, models: [{ ...models[0]!, version: '2' }] }, 'candidate_cost 2'],
    ['other content', { ...good, models: [{ ...models[0]!, contentHash: '0'.repeat(64) }] }, '(0000'],
    ['another model', { ...good, models: [{ ...models[0]!, name: 'other' }] }, 'none of that name'],
    ['another count of candidates', { ...good, candidateCount: 1 }, 'candidateCount 1'],
    ['a record too few', { ...good, plans: good.plans.subarray(PLAN_RECORD_BYTES) }, 'bytes of plans'],
    ['half a record', { ...good, plans: good.plans.subarray(16) }, 'bytes of plans'],
    ['half a ride factor', { ...good, rideFactors: new Uint8Array(14) }, 'bytes of ride factors'],
    ['half a row of times', { ...good, orderTimes: good.orderTimes.subarray(4) }, 'bytes of order times'],
    [
      'a courier beyond the round',
      withRecord((view) => view.setUint16(PlanRecord.courier, 2, true)),
      'courier 2',
    ],
    [
      'an order beyond the round',
      withRecord((view) => view.setUint16(PlanRecord.orders, 900, true)),
      'order 900',
    ],
    ['seven orders', withRecord((view) => view.setUint8(PlanRecord.orderCount, 7)), '7 orders'],
    ['times of no order', { ...good, orderTimes: new Uint8Array(16).fill(255) }, 'order times of order -1'],
  ])('%s', (_, outcome, fault) => {
    expect(outcomeFault(manifest, outcome)).toContain(fault);
    const content = decideRound(manifest, new Map([[0, outcome]]), 'complete');
    expect(content.shards).toEqual([{ shardIndex: 0, status: 'failed', errorCode: 'PAYLOAD_INVALID' }]);
    expect(content).toMatchObject({ assignments: [], coverage: 0 });
  });

  test.each<[string, Partial<ReturnType<typeof decodePlans>[number]>]>([
    ['another cost', { cost: 1n }],
    ['a stop twice', { packedStops: 0n }],
    ['a drop-off before its pickup', { packedStops: 1n }],
  ])('a chosen plan with %s makes its shard count as failed', (_, change) => {
    const plans = encodePlans(decodePlans(good.plans).map((plan) => ({ ...plan, ...change })));
    const content = decideRound(manifest, new Map([[0, { ...good, plans }]]), 'complete');
    expect(content.shards[0]).toMatchObject({ status: 'failed', errorCode: 'PAYLOAD_INVALID' });
    expect(content.assignments).toEqual([]);
  });

  test('the plans of the other shards are still used', () => {
    const cut = solved(twoEnds(), 2);
    expect(cut.manifest.shardCount).toBeGreaterThan(1);
    cut.outcomes.set(0, { ...cut.outcomes.get(0)!, shardCount: 99 });
    const content = decideRound(cut.manifest, cut.outcomes, 'complete');
    expect(content.coverage).toBeGreaterThan(0);
    expect(content.coverage).toBeLessThan(1);
    expect(content.assignments.length).toBeGreaterThan(0);
  });
});
