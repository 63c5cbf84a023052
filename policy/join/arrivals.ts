import type { RoundManifest, ShardOutcome, ShardUse } from '#schemas/domain';
import type { ShardIndex } from '#schemas/brands';
import { ArrivedPlans, type ShardPlans } from './arrived-plans';
import type { OutcomeReader } from './outcome-reader';

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
  reader: OutcomeReader,
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
    const { fault, plans: columns } = reader.read(outcome);
    if (outcome.shardIndex !== index || fault !== null || contradicted.has(index)) {
      shards.push({ shardIndex, status: 'failed', errorCode: 'PAYLOAD_INVALID' });
      continue;
    }
    shards.push({ shardIndex, status: outcome.status, errorCode: outcome.errorCode });
    if (columns === null) continue;
    candidates += manifest.shardCandidateCounts[index]!;
    plans.push({ shardIndex, columns });
  }
  return { shards, outcomes, plans: new ArrivedPlans(plans), candidates };
}
