import { createHash } from 'node:crypto';
import { RoutePlanner } from '#native/planner/route-planner';
import { cutRound } from '#policy/sharding/index';
import { decisionContentHash, shardsCodec } from '#schemas/codec';
import type { DispatchRound, Order, ShardOutcome } from '#schemas/domain';
import { cityRounds } from '../simulation/city/city-rounds';
import { decideRound } from './decide-round';

const models = ['candidate_cost', 'delivery_time'].map((name) => ({
  name,
  version: '1',
  contentHash: '0'.repeat(64),
}));

const withKnownTimes = (order: Order): Order => ({
  ...order,
  known: { ready: true, pickupWait: true, handover: true },
});

function cityRound(
  couriers: number,
  orders: number,
  candidates: number,
  bundleOrders: number,
): DispatchRound {
  const [round] = cityRounds({ seed: 7, couriers, orders, candidates, policy: { bundleOrders } }, 1);
  const { policy } = round!;
  const travel = { ...policy.travel, known: true };
  return { ...round!, policy: { ...policy, travel }, orders: round!.orders.map(withKnownTimes) };
}

/**
 * Of fixed rounds, hashes of the bytes of shards and of the content of the decision. Whoever changes a policy on purpose
 * puts down the new ones. The last is decided by pricing all columns together.
 */
test.each([
  [40, 80, 1_000, 2, 150, '6ef465a0fd9e', '2f1fd0554be9'],
  [60, 120, 3_000, 3, 500, '76f9fb41af94', 'cd4dab8d843f'],
  [200, 400, 20_000, 2, 4_096, '5571f9ba200f', '1d26c2788698'],
])(
  '%i couriers, %i orders, %i candidates of up to %i orders: the same shards and the same decision as ever',
  (couriers, orders, candidates, bundleOrders, candidatesPerShard, shardsHash, decisionHash) => {
    const round = cityRound(couriers, orders, candidates, bundleOrders);
    const { manifest, shards } = cutRound(round, models, { candidatesPerShard });
    const hash = createHash('sha256');
    for (const shard of shards) hash.update(shardsCodec.encode(shard));
    expect(hash.digest('hex').slice(0, 12)).toBe(shardsHash);
    const planner = new RoutePlanner();
    const outcomes = shards.map(({ tensors, deadline: _, model, ...ids }): ShardOutcome => ({
      ...ids,
      status: 'solved',
      errorCode: null,
      models: [model],
      deviceKind: 'cpu',
      ...planner.costShard(tensors),
    }));
    const content = decideRound(manifest, new Map(outcomes.map((o) => [o.shardIndex, o])), 'complete');
    expect(decisionContentHash(content).slice(0, 12)).toBe(decisionHash);
  },
);
