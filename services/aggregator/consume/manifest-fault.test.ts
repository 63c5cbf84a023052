import { buildOrder, buildRound } from '../../../test/support/build-round';
import { checkManifest } from './manifest-fault';

const good = {
  round: buildRound({ orders: [buildOrder('a')] }),
  models: [],
  shardCount: 1,
  shardCandidateCounts: [3],
  shardOrders: [new Uint8Array(1)],
};

test('a good manifest passes', () => expect(() => checkManifest(good)).not.toThrow());

test.each([
  ['a negative count of shards', { shardCount: -1 }],
  ['another number of counts', { shardCandidateCounts: [1, 2] }],
  ['another number of bitmaps', { shardOrders: [] }],
  ['a negative count of candidates', { shardCandidateCounts: [-1] }],
  ['a bitmap for other orders', { shardOrders: [new Uint8Array(2)] }],
])('%s is PAYLOAD_INVALID', (_, change) => {
  expect(() => checkManifest({ ...good, ...change })).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_INVALID' }),
  );
});
