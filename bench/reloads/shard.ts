import { cutRound } from '#policy/sharding/index';
import { validateRound } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import type { NamedTensor } from '#schemas/domain';

/** The tensors of a small shard: so many couriers and orders on a grid, with the usual policy. */
export function shardTensors(couriers = 8, orders = 12): readonly NamedTensor[] {
  const now = 1_800_000_000_000;
  const at = (i: number) => ({ x: 8 + Math.floor(i / 5) * 0.004, y: 47 + (i % 5) * 0.004 });
  const asOf = now / 1_000;
  const body = {
    tenantId: 'bench',
    roundId: 'reloads',
    asOf,
    deadline: now + 10_000,
    couriers: Array.from({ length: couriers }, (_, i) => ({ courierId: `c${i}`, position: at(i) })),
    orders: Array.from({ length: orders }, (_, i) => ({
      orderId: `o${i}`,
      pickup: { point: at(2 * i) },
      dropoff: { point: at(2 * i + 7) },
      readyAt: asOf + 60 * i,
      promisedAt: asOf + 1_800 + 60 * i,
    })),
  };
  const result = validateRound(body, now as UnixMs);
  if (result.kind !== 'valid') throw new Error(`the bench's round: ${JSON.stringify(result)}`);
  const model = { name: 'candidate_cost', version: '1', contentHash: '0'.repeat(64) };
  return cutRound(result.round, [model]).shards[0]!.tensors;
}
