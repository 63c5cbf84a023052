import type { ModelRef, Shard, ShardOutcome } from '#schemas/domain';
import { decideRound } from '../join/decide-round';
import { cutRound, type CutLimits } from '../sharding/index';
import type { Dispatch } from './day';

export interface DirectDispatch {
  readonly models: readonly ModelRef[];
  readonly limits?: CutLimits;
  /** Costs a shard's candidates; the native planner does it for rounds whose times are all known. */
  costShard(shard: Shard): Pick<ShardOutcome, 'plans' | 'orderTimes' | 'rideFactors'>;
}

/** The whole way of a round in one process, without bus, engine or clock: for tests, tuning and sweeps. */
export function directDispatch({ models, limits, costShard }: DirectDispatch): Dispatch {
  return (round) => {
    const { manifest, shards } = cutRound(round, models, limits);
    const outcomes = new Map(
      shards.map((shard) => [shard.shardIndex as number, solved(shard, costShard(shard))]),
    );
    return Promise.resolve(decideRound(manifest, outcomes, 'complete'));
  };
}

function solved(
  shard: Shard,
  costs: Pick<ShardOutcome, 'plans' | 'orderTimes' | 'rideFactors'>,
): ShardOutcome {
  const { tenantId, runId, roundId, shardIndex, zoneId, shardCount, candidateCount, model } = shard;
  return {
    ...{ tenantId, runId, roundId, shardIndex, zoneId, shardCount, candidateCount },
    status: 'solved',
    errorCode: null,
    ...costs,
    models: [model],
    deviceKind: 'cpu',
  };
}
