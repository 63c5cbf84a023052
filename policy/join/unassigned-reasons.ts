import type { RoundManifest, ShardUse, UnassignedReason } from '#schemas/domain';
import { unassignedReasons } from '#schemas/domain';
import { errorCodes, isDeadLettered, type ErrorCode } from '#schemas/errors';

/**
 * Why an order is left out, the first that holds in the order of `unassignedReasons`:
 * `cheaper_to_wait` when a usable candidate with it arrived, `no_feasible_courier` when none did although
 * every shard in which it stands was solved, else what befell a shard in which it stands. A shard that has
 * no outcome at the close is late.
 */
export function reasonOf(
  order: number,
  manifest: RoundManifest,
  shards: readonly ShardUse[],
  deadLetters: ReadonlySet<number>,
  hasCandidate: boolean,
): UnassignedReason {
  if (hasCandidate) return 'cheaper_to_wait';
  const losses = shards
    .filter(({ shardIndex, status }) => status !== 'solved' && standsIn(manifest, shardIndex, order))
    .map((shard) => lossOf(shard, deadLetters));
  return unassignedReasons.find((reason) => losses.includes(reason)) ?? 'no_feasible_courier';
}

function standsIn(manifest: RoundManifest, shardIndex: number, order: number): boolean {
  const byte = manifest.shardOrders[shardIndex]?.[order >> 3] ?? 0;
  return ((byte >> (order & 7)) & 1) === 1;
}

function lossOf(shard: ShardUse, deadLetters: ReadonlySet<number>): UnassignedReason {
  if (deadLetters.has(shard.shardIndex)) return 'dead_letter';
  if (shard.status === 'late' || shard.status === 'missing') return 'shard_late';
  if (shard.errorCode === 'ENGINE_LOST') return 'engine_lost';
  return hasLetter(shard.errorCode) ? 'dead_letter' : 'shard_failed';
}

/** The error table says with which codes a shard goes to dispatch.dead-letters. */
function hasLetter(code: string | null): boolean {
  return code !== null && Object.hasOwn(errorCodes, code) && isDeadLettered(code as ErrorCode);
}
