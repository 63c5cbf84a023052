import { RoutePlanner } from '#native/planner/route-planner';
import { cutRound } from '#policy/sharding/index';
import type { DispatchRound, ShardOutcome } from '#schemas/domain';
import { buildCourier, buildOrder, buildPolicy, buildStop } from '../support/build-round';
import { roundOf, type CutRound } from './aggregator-harness';

const models = [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }];

/** Restaurants on a line, `perPlace` orders each, all pairs of which are bundles; every courier near every bundle. */
export function largeRound(
  changes: Partial<DispatchRound>,
  { places, perPlace, couriersPerBundle }: { places: number; perPlace: number; couriersPerBundle: number },
): CutRound {
  const couriers = Array.from({ length: 2 * couriersPerBundle }, (_, i) =>
    buildCourier(`c${i}`, { position: { x: (97 * i) % 4_000, y: (31 * i) % 700 }, vehicle: 'bike' }),
  );
  const orders = Array.from({ length: places * perPlace }, (_, i) =>
    buildOrder(`o${i}`, {
      pickup: buildStop(`R${i % places}`, 200 * (i % places), 0),
      dropoff: buildStop(`h${i}`, (173 * i) % 4_000, 300 + ((57 * i) % 900)),
    }),
  );
  const bundles = { ...buildPolicy().bundles, maxDropoffSpreadMetres: 100_000 };
  const policy = buildPolicy({ bundles, couriersPerBundle });
  const { round } = roundOf({ ...changes, couriers: [], orders: [] }).manifest;
  const { manifest, shards } = cutRound({ ...round, couriers, orders, policy }, models);
  const planner = new RoutePlanner();
  const outcomes = shards.map(
    ({
      tenantId,
      runId,
      roundId,
      zoneId,
      shardIndex,
      shardCount,
      candidateCount,
      tensors,
    }): ShardOutcome => ({
      ...{ tenantId, runId, roundId, zoneId, shardIndex, shardCount, candidateCount },
      ...{ status: 'solved', errorCode: null, models, deviceKind: 'cpu' },
      ...planner.costShard(tensors),
    }),
  );
  return { manifest, outcomes };
}
