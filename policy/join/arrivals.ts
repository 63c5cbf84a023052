import type { RoundManifest, ShardOutcome, ShardUse } from '#schemas/domain';
import type { ShardIndex } from '#schemas/brands';
import { ArrivedPlans, type ShardPlans } from './arrived-plans';
import { outcomeFault } from './read-outcome';

/** What arrived of a round: the use of every shard, and the plans of the solved ones. */
export interface Arrivals {
  readonly shards: readonly ShardUse[];
  readonly outcomes: ReadonlyMap<number, ShardOutcome>;
  readonly plans: ArrivedPlans;
  readonly candidates: number;
}

/** `contradicted`: shards whose outcome turned out to be wrong later; they count as failed too. */
export function gatherArrivals(
  manifest: RoundManifest,
  outcomes: ReadonlyMap<number, ShardOutcome>,
  contradicted: ReadonlySet<number>,
): Arrivals {
  const shards: ShardUse[] = [];
  const plans: ShardPlans[] = [];
  let candidates = 0;
  for (let index = 0; index < manifest.shardCount; index++) {
    const shardIndex = index as ShardIndex;
    const outcome = outcomes.get(index);
    if (outcome === undefined) {
      shards.push({ shardIndex, status: 'missing', errorCode: null });
      continue;
    }
    const isSound = outcome.shardIndex === index && outcomeFault(manifest, outcome) === null;
    if (!isSound || contradicted.has(index)) {
      shards.push({ shardIndex, status: 'failed', errorCode: 'PAYLOAD_INVALID' });
      continue;
    }
    shards.push({ shardIndex, status: outcome.status, errorCode: outcome.errorCode });
    if (outcome.status !== 'solved') continue;
    candidates += manifest.shardCandidateCounts[index]!;
    plans.push({ shardIndex, bytes: outcome.plans });
  }
  return { shards, outcomes, plans: new ArrivedPlans(plans), candidates };
}
