import type { Shard, ShardOutcome, NamedTensor } from '#schemas/domain';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { PLAN_RECORD_BYTES } from '#schemas/tensors';
import type { InferRequest, InferResponse } from './engine-client/port';
import { shardKey } from '#schemas/topics';

/** Between a shard and the engine that costs it: what is asked, and what becomes of the answer. */
export function inferRequestOf(shard: Shard): InferRequest {
  const { name, version } = shard.model;
  return { model: name, version, requestId: shardKey(shard), inputs: shard.tensors };
}

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
