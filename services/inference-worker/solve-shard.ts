import type { InferResponse } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import type { Shard, ShardOutcome } from '#schemas/domain';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { PLAN_RECORD_BYTES } from '#schemas/tensors';
import { shardKey } from '#schemas/topics';
import { busyPause } from './busy-pause';
import { requireNearDeadline } from './deadline-bound';
import type { GivenUpReason } from './events';
import { backendInterval, failedOutcome, lateOutcome, solvedOutcome } from './outcome';
import {
  HandedOver,
  isLostWithEngine,
  NoEngineInTime,
  type PlacedAnswer,
  type PlacedWork,
  type Placement,
} from './placement/placement';
import { traceParameter } from './scheduling/phase-watch';
import type { Suspects } from './sentinel/suspects';

export interface SolvedShard {
  readonly outcome: ShardOutcome;
  /** Unix nanoseconds "start-end"; null unless solved. */
  readonly interval: string | null;
  /** Why it failed; null for the others. */
  readonly fault: RoundhouseError | null;
  /** Once the outcome is encoded: its bytes may lie in the engine's memory until then, and are gone afterwards. */
  readonly release?: () => void;
}

export interface SolveOptions {
  readonly placement: Placement;
  readonly suspects: Suspects;
  readonly startMarginMs: number;
  /** Of a trace that is recorded: for the engine, and for spans of what it does. */
  readonly traceparent?: string | undefined;
  /** The engine was lost with the shard; another one gets it, once. */
  onResent(shard: Shard, code: ErrorCode): void;
  onGivenUp(shard: Shard, reason: GivenUpReason): void;
}

function workOf(shard: Shard, traceparent: string | undefined): PlacedWork {
  const { model, tensors, candidateCount } = shard;
  const { name, version, contentHash } = model;
  return {
    request: {
      model: name,
      version,
      requestId: shardKey(shard),
      inputs: tensors,
      keepOutputs: true,
      ...(traceparent === undefined ? {} : { parameters: { [traceParameter]: traceparent } }),
    },
    contentHash,
    size: Math.max(1, candidateCount),
    bytesIn: tensors.reduce((sum, { data }) => sum + data.byteLength, 0),
    bytesOut: candidateCount * PLAN_RECORD_BYTES,
    failedOn: new Set(),
  };
}

function asFault(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return error;
  return new RoundhouseError('INTERNAL', String(error), [], { cause: error });
}

/** Until an engine answers or is lost; again while it is busy. */
async function inferWhileBusy(work: PlacedWork, until: UnixMs, placement: Placement): Promise<PlacedAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await placement.infer(work, until);
    } catch (error) {
      const { code, remainingMs = Infinity } = asFault(error);
      // As the engine counts it, where that is less: it would refuse another one as late.
      const leftMs = Math.min(until - Date.now(), remainingMs);
      const pause = code === 'ENGINE_BUSY' ? busyPause(attempt, leftMs) : null;
      if (pause === null) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/**
 * A shard that was lost with its engine goes to another one once more, by turns with the others that were lost then:
 * one that ends engines is known after two, and no third one gets it.
 */
async function inferWithSuccessor(
  shard: Shard,
  until: UnixMs,
  { placement, suspects, traceparent, onResent, onGivenUp }: SolveOptions,
): Promise<PlacedAnswer> {
  const work = workOf(shard, traceparent);
  try {
    return await inferWhileBusy(work, until, placement);
  } catch (error) {
    if (!isLostWithEngine(error) || Date.now() >= until) throw error;
    onResent(shard, asFault(error).code);
  }
  const endTurn = await suspects.turn((until - Date.now()) / 2);
  try {
    return await inferWhileBusy(work, until, placement);
  } catch (error) {
    if (isLostWithEngine(error)) onGivenUp(shard, 'lost_twice');
    throw error;
  } finally {
    endTurn();
  }
}

/** Never throws: what becomes of a shard is a value. null: it is left to other workers. */
export async function solveShard(shard: Shard, options: SolveOptions): Promise<SolvedShard | null> {
  const until = (shard.deadline - options.startMarginMs) as UnixMs;
  if (Date.now() >= until) return { outcome: lateOutcome(shard), interval: null, fault: null };
  try {
    requireNearDeadline(shard.deadline);
    const { response, deviceKind } = await inferWithSuccessor(shard, until, options);
    return solved(shard, response, deviceKind);
  } catch (error) {
    if (error instanceof HandedOver) return null;
    if (error instanceof NoEngineInTime) options.onGivenUp(shard, 'no_engine_in_time');
    const fault = asFault(error);
    if (fault.code === 'DEADLINE_EXCEEDED')
      return { outcome: lateOutcome(shard), interval: null, fault: null };
    return { outcome: failedOutcome(shard, fault.code), interval: null, fault };
  }
}

function solved(shard: Shard, response: InferResponse, deviceKind: string): SolvedShard {
  const { release } = response;
  try {
    const outcome = solvedOutcome(shard, response, deviceKind);
    const solved = { outcome, interval: backendInterval(response), fault: null };
    return release === undefined ? solved : { ...solved, release };
  } catch (error) {
    release?.();
    throw error;
  }
}
