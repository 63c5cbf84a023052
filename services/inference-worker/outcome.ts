import type { InferResponse } from '#lib/engine-client/port';
import { failedOutcome } from '#lib/shard-outcome';
import type { UnixMs, ZoneId } from '#schemas/brands';
import type { Shard, ShardKey, ShardOutcome } from '#schemas/domain';
import type { ErrorCode } from '#schemas/errors';

export { failedOutcome, lateOutcome, solvedOutcome } from '#lib/shard-outcome';

/** A shard that can't be read fails by what its key says; counts that only its body had are 0. */
export function unreadableOutcome(key: ShardKey, code: ErrorCode): ShardOutcome {
  const shard: Shard = {
    ...key,
    zoneId: '' as ZoneId,
    shardCount: 0,
    candidateCount: 0,
    deadline: 0 as UnixMs,
    model: { name: '', version: '', contentHash: '' },
    tensors: [],
  };
  return { ...failedOutcome(shard, code), models: [] };
}

/** Unix nanoseconds "start-end" of the backend, for the header; null where the model has no such output. */
export function backendInterval(response: InferResponse): string | null {
  const interval = response.outputs.find((tensor) => tensor.name === 'interval');
  if (interval === undefined || interval.data.byteLength !== 16) return null;
  const view = new DataView(interval.data.buffer, interval.data.byteOffset, 16);
  return `${view.getBigInt64(0, true)}-${view.getBigInt64(8, true)}`;
}
