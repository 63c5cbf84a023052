import { loadModelRepository } from '#lib/model-repository';
import { projectPath } from '#schemas/project-root';
import type { Shard } from '#schemas/domain';
import { cutRound } from '../../policy/sharding/cut-round';
import { buildCourier, buildOrder, buildRound, buildStop } from './build-round';

/** One shard of 5 couriers × (6 orders and their pairs) for the stable models. */
export function makeShard(): Shard {
  const models = loadModelRepository(projectPath('models')).refsOf('stable');
  const couriers = Array.from({ length: 5 }, (_, i) =>
    buildCourier(`c${i}`, { position: { x: 50 * i, y: 9 } }),
  );
  const orders = Array.from({ length: 6 }, (_, i) =>
    buildOrder(`o${i}`, { dropoff: buildStop(`home-${i}`, 100 * i, 40) }),
  );
  return cutRound(buildRound({ couriers, orders }), models, {}).shards[0]!;
}
