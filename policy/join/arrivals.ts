import type { RoundManifest, ShardOutcome, ShardUse } from '#schemas/domain';
import type { ShardIndex } from '#schemas/brands';
import { readOutcome, type ArrivedPlan } from './read-outcome';

/** What arrived of a round: the use of every shard, and the plans of the solved ones. */
export interface Arrivals {
  readonly shards: readonly ShardUse[];
  readonly outcomes: ReadonlyMap<number, ShardOutcome>;
  readonly plans: readonly ArrivedPlan[];
  readonly candidates: number;
}

/** `contradicted`: shards whose outcome turned out to be wrong later; they count as failed too. */
export function gatherArrivals(
  manifest: RoundManifest,
  outcomes: ReadonlyMap<number, ShardOutcome>,
  contradicted: ReadonlySet<number>,
): Arrivals {
  const shards: ShardUse[] = [];
  const plans: ArrivedPlan[] = [];
  let candidates = 0;
  for (let index = 0; index < manifest.shardCount; index++) {
    const shardIndex = index as ShardIndex;
    const outcome = outcomes.get(index);
    if (outcome === undefined) {
      shards.push({ shardIndex, status: 'missing', errorCode: null });
      continue;
    }
    const reading = outcome.shardIndex === index ? readOutcome(manifest, outcome) : { fault: 'index' };
    if ('fault' in reading || contradicted.has(index)) {
      shards.push({ shardIndex, status: 'failed', errorCode: 'PAYLOAD_INVALID' });
      continue;
    }
    shards.push({ shardIndex, status: outcome.status, errorCode: outcome.errorCode });
    if (outcome.status !== 'solved') continue;
    candidates += manifest.shardCandidateCounts[index]!;
    for (const plan of reading.plans) plans.push(plan);
  }
  return { shards, outcomes, plans, candidates };
}
