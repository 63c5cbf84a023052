import { checkConsistency } from '#policy/validation/consistency';
import { FaultList } from '#policy/validation/fault-list';
import { defaultRoundLimits } from '#policy/validation/index';
import type { RoundManifest } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';

/** Throws PAYLOAD_INVALID where a manifest contradicts itself, or its round could not have come through ingest. */
export function checkManifest(manifest: RoundManifest): void {
  const { shardCount, shardCandidateCounts, shardOrders, round } = manifest;
  const refuse = (reason: string) => {
    throw new RoundhouseError('PAYLOAD_INVALID', `manifest of round ${round.roundId}: ${reason}`);
  };
  if (!Number.isInteger(shardCount) || shardCount < 0) refuse(`shardCount ${shardCount}`);
  if (shardCandidateCounts.length !== shardCount || shardOrders.length !== shardCount) {
    refuse(`${shardCount} shards, ${shardCandidateCounts.length} counts, ${shardOrders.length} bitmaps`);
  }
  if (shardCandidateCounts.some((count) => !Number.isInteger(count) || count < 0)) refuse('a negative count');
  const bytes = Math.ceil(round.orders.length / 8);
  if (shardOrders.some((bitmap) => bitmap.byteLength !== bytes))
    refuse(`a bitmap of other than ${bytes} bytes`);
  const faults = new FaultList();
  checkConsistency(round, defaultRoundLimits, faults);
  const [first] = faults.listed;
  if (first !== undefined) refuse(`${first.path} is ${first.value}, not ${first.limit}`);
}
