import type { InferResponse } from '#lib/engine-client/port';
import type { RoundId, RunId, ShardIndex, TenantId, UnixMs, ZoneId } from '#schemas/brands';
import type { NamedTensor, Shard, ShardKey, ShardOutcome } from '#schemas/domain';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { PLAN_RECORD_BYTES } from '#schemas/tensors';

const noBytes = new Uint8Array(0);

function empty(shard: Shard): Omit<ShardOutcome, 'status' | 'errorCode'> {
  const { tenantId, runId, roundId, shardIndex, zoneId, shardCount, candidateCount, model } = shard;
  const ids = { tenantId, runId, roundId, shardIndex, zoneId, shardCount, candidateCount };
  const bytes = { plans: noBytes, orderTimes: noBytes, rideFactors: noBytes };
  return { ...ids, ...bytes, models: [model], deviceKind: '' };
}

export function lateOutcome(shard: Shard): ShardOutcome {
  return { ...empty(shard), status: 'late', errorCode: 'DEADLINE_EXCEEDED' };
}

export function failedOutcome(shard: Shard, code: ErrorCode): ShardOutcome {
  return { ...empty(shard), status: 'failed', errorCode: code };
}

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

/** The ShardKey in a message key (see `shardKey` of topics.ts), or null. */
export function parseShardKey(key: Buffer | null): ShardKey | null {
  const parts = key?.toString('utf8').split('\u001f') ?? [];
  const [tenantId, runId, roundId, index] = parts;
  if (parts.length !== 4 || !/^\d{1,9}$/.test(index!)) return null;
  return {
    tenantId: tenantId as TenantId,
    runId: runId as RunId,
    roundId: roundId as RoundId,
    shardIndex: Number(index) as ShardIndex,
  };
}

function output(response: InferResponse, name: string): NamedTensor {
  const found = response.outputs.find((tensor) => tensor.name === name);
  if (found === undefined) throw new RoundhouseError('MODEL_FAILED', `the model gave no output ${name}`);
  return found;
}

/** Wraps the engine's outputs; they are checked by size and never decoded. Throws MODEL_FAILED. */
export function solvedOutcome(shard: Shard, response: InferResponse, deviceKind: string): ShardOutcome {
  const plans = output(response, 'plans').data;
  const expected = shard.candidateCount * PLAN_RECORD_BYTES;
  if (plans.byteLength !== expected) {
    const message = `${plans.byteLength} bytes of plans for ${shard.candidateCount} candidates, not ${expected}`;
    throw new RoundhouseError('MODEL_FAILED', message);
  }
  return {
    ...empty(shard),
    status: 'solved',
    errorCode: null,
    plans,
    orderTimes: output(response, 'order_times').data,
    rideFactors: output(response, 'ride_factors').data,
    deviceKind,
  };
}

/** Unix nanoseconds "start-end" of the backend, for the header; null where the model has no such output. */
export function backendInterval(response: InferResponse): string | null {
  const interval = response.outputs.find((tensor) => tensor.name === 'interval');
  if (interval === undefined || interval.data.byteLength !== 16) return null;
  const view = new DataView(interval.data.buffer, interval.data.byteOffset, 16);
  return `${view.getBigInt64(0, true)}-${view.getBigInt64(8, true)}`;
}
