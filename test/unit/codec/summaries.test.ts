import { type OrderId } from '#schemas/brands';
import { decisionsCodec, roundsCodec } from '#schemas/codec';
import { prunedSchema } from '#schemas/codec/pruned-schema';
import { RoundhouseError } from '#schemas/errors';
import { readDecisionSummary, readRoundSummary } from '#schemas/summaries';
import { decision, manifest } from './samples';

const { tenantId, runId, roundId, zoneId, deadline } = manifest.round;

test('a manifest without its orders and couriers', () => {
  expect(readRoundSummary(roundsCodec.encode(manifest))).toEqual({
    ...{ tenantId, runId, roundId, zoneId, deadline },
    couriers: manifest.round.couriers.length,
    orders: manifest.round.orders.length,
    shards: manifest.shardCount,
    candidates: manifest.shardCandidateCounts.reduce((sum, count) => sum + count),
  });
});

test('a decision without its plans, its unassigned orders counted by reason', () => {
  const reasons = ['cheaper_to_wait', 'engine_lost', 'cheaper_to_wait'] as const;
  const unassigned = reasons.map((reason, i) => ({ orderId: `o${i}` as OrderId, reason }));
  const { assignments, shards, closedBy, coverage, candidatesTotal, candidatesArrived } = decision.content;
  const written = { ...decision, content: { ...decision.content, unassigned } };
  expect(readDecisionSummary(decisionsCodec.encode(written))).toMatchObject({
    ...{ tenantId, runId, roundId, shards, closedBy, coverage, candidatesTotal, candidatesArrived },
    assignments: assignments.length,
    unassigned: { cheaper_to_wait: 2, engine_lost: 1 },
  });
});

test('bytes that are no decision are refused whole, also where they are wrong in what is not read', () => {
  const good = decisionsCodec.encode(decision);
  for (const bytes of [good.subarray(0, -1), Buffer.concat([good, Buffer.of(0)]), Buffer.from('hello')]) {
    expect(() => readDecisionSummary(bytes)).toThrow(RoundhouseError);
  }
});

test('only fields that are there can be wanted', () => {
  const record = { type: 'record', name: 'A', fields: [{ name: 'a', type: 'int' }] };
  expect(() => prunedSchema(record, { a: true, b: true })).toThrow('no field b');
  expect(() => prunedSchema(record, { a: { b: true } })).toThrow('only records and arrays');
});
