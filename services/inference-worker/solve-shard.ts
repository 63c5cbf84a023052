import type { EngineClient, InferRequest, InferResponse } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import type { Shard, ShardOutcome } from '#schemas/domain';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { shardKey } from '#schemas/topics';
import { requireNearDeadline } from './deadline-bound';
import type { EngineLink } from './engine-link';
import { backendInterval, failedOutcome, lateOutcome, solvedOutcome } from './outcome';

export interface SolvedShard {
  readonly outcome: ShardOutcome;
  /** Unix nanoseconds "start-end"; null unless solved. */
  readonly interval: string | null;
  /** Why it failed; null for the others. */
  readonly fault: RoundhouseError | null;
}

export interface SolveOptions {
  readonly link: EngineLink;
  readonly startMarginMs: number;
  /** The engine was lost with the shard and gets it once more. */
  onResent(shard: Shard, code: ErrorCode): void;
}

const busyPauseMs = 5;

function requestOf(shard: Shard): InferRequest {
  const { name, version } = shard.model;
  return { model: name, version, requestId: shardKey(shard), inputs: shard.tensors };
}

function asFault(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return error;
  return new RoundhouseError('INTERNAL', String(error), [], { cause: error });
}

/** Sends a shard until it is answered: again while the engine is busy, once more after it was lost. */
async function inferUntilAnswered(
  shard: Shard,
  until: UnixMs,
  options: SolveOptions,
): Promise<InferResponse> {
  const request = requestOf(shard);
  let resent = false;
  for (;;) {
    const client: EngineClient | null = await options.link.waitUntilUp(until);
    if (client === null) {
      throw new RoundhouseError('ENGINE_LOST', options.link.whyDown() ?? 'the engine is down');
    }
    try {
      return await client.infer(request, until);
    } catch (error) {
      const { code } = asFault(error);
      if (code === 'ENGINE_BUSY' && Date.now() + busyPauseMs < until) {
        await new Promise((resolve) => setTimeout(resolve, busyPauseMs));
      } else if (code === 'ENGINE_LOST' && !resent && Date.now() < until) {
        resent = true;
        if (options.link.current() === client) options.link.down('the engine hung up');
        options.onResent(shard, code);
      } else throw error;
    }
  }
}

/** Never throws: what becomes of a shard is a value. */
export async function solveShard(shard: Shard, options: SolveOptions): Promise<SolvedShard> {
  const until = (shard.deadline - options.startMarginMs) as UnixMs;
  if (Date.now() >= until) return { outcome: lateOutcome(shard), interval: null, fault: null };
  try {
    requireNearDeadline(shard.deadline);
    const response = await inferUntilAnswered(shard, until, options);
    const { deviceKind } = options.link;
    const outcome = solvedOutcome(shard, response, deviceKind);
    return { outcome, interval: backendInterval(response), fault: null };
  } catch (error) {
    const fault = asFault(error);
    if (fault.code === 'DEADLINE_EXCEEDED')
      return { outcome: lateOutcome(shard), interval: null, fault: null };
    return { outcome: failedOutcome(shard, fault.code), interval: null, fault };
  }
}
