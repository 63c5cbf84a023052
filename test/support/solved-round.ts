import type { DispatchRound, ModelRef, RoundManifest, ShardOutcome } from '#schemas/domain';
import { cutRound } from '../../policy/sharding/index';
import { bruteCostShard } from './brute-cost-shard';
import { buildCourier, buildOrder, buildRound, buildStop } from './build-round';

export const models: ModelRef[] = [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }];

export interface SolvedRound {
  readonly manifest: RoundManifest;
  readonly outcomes: Map<number, ShardOutcome>;
}

/** The round cut into shards, and the outcome of each by brute force. */
export function solved(round: DispatchRound, candidatesPerShard = 500): SolvedRound {
  const { manifest, shards } = cutRound(round, models, { candidatesPerShard });
  const outcomes = new Map(shards.map((shard) => [shard.shardIndex as number, bruteCostShard(shard)]));
  return { manifest, outcomes };
}

/** Two restaurants 10 km apart with a courier and an order each: every order has a near and a far courier. */
export function twoEnds(changes: Partial<DispatchRound> = {}): DispatchRound {
  const end = (x: number, name: string) => ({
    courier: buildCourier(`k-${name}`, { position: { x, y: 0 } }),
    order: buildOrder(`o-${name}`, {
      pickup: buildStop(`R-${name}`, x, 0),
      dropoff: buildStop(`h-${name}`, x, 300),
    }),
  });
  const [west, east] = [end(0, 'west'), end(10_000, 'east')];
  return buildRound({
    couriers: [west.courier, east.courier],
    orders: [west.order, east.order],
    ...changes,
  });
}
