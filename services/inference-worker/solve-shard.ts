import type { EngineClient, InferRequest, InferResponse } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import type { Shard, ShardOutcome } from '#schemas/domain';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { shardKey } from '#schemas/topics';
import { busyPause } from './busy-pause';
import { requireNearDeadline } from './deadline-bound';
import type { EngineLink } from './engine-link';
import type { GivenUpReason } from './events';
import { backendInterval, failedOutcome, lateOutcome, solvedOutcome } from './outcome';
import type { Suspects } from './sentinel/suspects';

export interface SolvedShard {
  readonly outcome: ShardOutcome;
  /** Unix nanoseconds "start-end"; null unless solved. */
  readonly interval: string | null;
  /** Why it failed; null for the others. */
  readonly fault: RoundhouseError | null;
}

export interface SolveOptions {
  readonly link: EngineLink;
  readonly suspects: Suspects;
  readonly startMarginMs: number;
  /** The engine was lost with the shard; the next one gets it, once. */
  onResent(shard: Shard, code: ErrorCode): void;
  onGivenUp(shard: Shard, reason: GivenUpReason): void;
}

/** The engine is gone, or no use for anybody. */
const lostCodes: readonly ErrorCode[] = ['ENGINE_LOST', 'DEVICE_FAULT'];

function requestOf(shard: Shard): InferRequest {
  const { name, version } = shard.model;
  return { model: name, version, requestId: shardKey(shard), inputs: shard.tensors };
}

function asFault(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return error;
  return new RoundhouseError('INTERNAL', String(error), [], { cause: error });
}

/** Other workers are to do it. */
class HandedOver extends Error {}

/** No engine was up until its deadline. */
class NoEngineInTime extends RoundhouseError {}

function wasLost(error: unknown): boolean {
  return !(error instanceof NoEngineInTime) && lostCodes.includes(asFault(error).code);
}

async function engineFor(shard: Shard, until: UnixMs, options: SolveOptions): Promise<EngineClient> {
  const { link } = options;
  if (link.whyHandedOver() !== null) throw new HandedOver();
  const client = await link.waitUntilUp(until);
  if (client !== null) return client;
  if (link.whyHandedOver() !== null) throw new HandedOver();
  options.onGivenUp(shard, 'no_engine_in_time');
  throw new NoEngineInTime('ENGINE_LOST', link.whyDown() ?? 'the engine is down');
}

/** Sends a shard until an engine answers or is lost; again while it is busy. */
async function inferWhileBusy(shard: Shard, until: UnixMs, options: SolveOptions): Promise<InferResponse> {
  for (let attempt = 0; ; attempt += 1) {
    const client = await engineFor(shard, until, options);
    try {
      return await client.infer(requestOf(shard), until);
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
 * An engine that was lost with the shard has a successor that gets it once more, by turns with the others
 * that were lost then: one that ends engines is known after two, and no third one gets it.
 */
async function inferWithSuccessor(
  shard: Shard,
  until: UnixMs,
  options: SolveOptions,
): Promise<InferResponse> {
  try {
    return await inferWhileBusy(shard, until, options);
  } catch (error) {
    if (!wasLost(error) || Date.now() >= until) throw error;
    options.onResent(shard, asFault(error).code);
  }
  const endTurn = await options.suspects.turn((until - Date.now()) / 2);
  try {
    return await inferWhileBusy(shard, until, options);
  } catch (error) {
    if (wasLost(error)) options.onGivenUp(shard, 'lost_twice');
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
    const response = await inferWithSuccessor(shard, until, options);
    const { deviceKind } = options.link;
    const outcome = solvedOutcome(shard, response, deviceKind);
    return { outcome, interval: backendInterval(response), fault: null };
  } catch (error) {
    if (error instanceof HandedOver) return null;
    const fault = asFault(error);
    if (fault.code === 'DEADLINE_EXCEEDED')
      return { outcome: lateOutcome(shard), interval: null, fault: null };
    return { outcome: failedOutcome(shard, fault.code), interval: null, fault };
  }
}
