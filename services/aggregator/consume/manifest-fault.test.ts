import type { OrderId, Seconds } from '#schemas/brands';
import { buildCourier, buildOrder, buildPolicy, buildRound } from '../../../test/support/build-round';
import { checkManifest } from './manifest-fault';

const holder = buildCourier('k', { held: [{ orderId: 'a' as OrderId, onBoard: true }] });
const byCar = {
  kind: 'speed' as const,
  metresPerHour: { walk: 0, bike: 0, scooter: 0, car: 36_000 },
  quantumSeconds: 1 as Seconds,
  known: true,
};

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
  [
    'a held order that the round does not have',
    { round: buildRound({ couriers: [holder], orders: [buildOrder('b')] }) },
  ],
  [
    'a holder whose vehicle does not drive',
    {
      round: buildRound({
        couriers: [holder],
        orders: [buildOrder('a')],
        policy: buildPolicy({ travel: byCar }),
      }),
    },
  ],
  ['an order that stands twice', { round: buildRound({ orders: [buildOrder('a'), buildOrder('a')] }) }],
])('%s is PAYLOAD_INVALID', (_, change) => {
  expect(() => checkManifest({ ...good, ...change })).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_INVALID' }),
  );
});
