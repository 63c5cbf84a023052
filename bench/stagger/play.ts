import { setTimeout as sleep } from 'node:timers/promises';
import type { RoundId, ShardIndex, UnixMs } from '#schemas/brands';
import type { Shard } from '#schemas/domain';
import type { PlacedAnswer, Placement } from '#services/inference-worker/placement/placement';
import { phaseSpans, type PhaseSpan } from '#services/inference-worker/scheduling/answer-times';
import { Suspects } from '#services/inference-worker/sentinel/suspects';
import { solveShard } from '#services/inference-worker/solve-shard';
import type { TracedShard } from './trace';

/** What became of a shard of the trace; times are milliseconds since its begin. */
export interface Played {
  readonly shard: TracedShard;
  readonly status: 'solved' | 'late' | 'failed';
  readonly endMs: number;
  /** Empty unless solved. */
  readonly engine: string;
  readonly spans: readonly PhaseSpan[];
  readonly resent: boolean;
}

export interface PlayOptions {
  readonly placement: Placement;
  /** Called so many milliseconds after the begin. */
  readonly meanwhile?: { readonly atMs: number; readonly act: () => void };
}

/** With the ids that the trace says, so that lost ones and answers are told apart. */
function shardOf({ id, model, template, deadlineMs }: TracedShard, beganAt: number): Shard {
  const [burst, round, index] = id.split('/');
  return {
    ...template.shard,
    roundId: `${burst}-${round}` as RoundId,
    shardIndex: Number(index) as ShardIndex,
    deadline: Math.round(beganAt + deadlineMs) as UnixMs,
    model: { ...template.shard.model, name: model, version: '1' },
  };
}

/** Remembers which engine answered, and when its phases ran. */
class Witness implements Placement {
  answer: PlacedAnswer | null = null;

  constructor(private readonly placement: Placement) {}

  async infer(...call: Parameters<Placement['infer']>): Promise<PlacedAnswer> {
    this.answer = await this.placement.infer(...call);
    return this.answer;
  }
}

/** Sends the shards as they come, as a worker does with those that it takes from Kafka. */
export async function play(trace: readonly TracedShard[], options: PlayOptions): Promise<readonly Played[]> {
  const suspects = new Suspects();
  const beganAt = Date.now();
  const began = performance.now();
  const solve = async (shard: TracedShard): Promise<Played> => {
    let resent = false;
    const placement = new Witness(options.placement);
    const solved = await solveShard(shardOf(shard, beganAt), {
      placement,
      suspects,
      startMarginMs: 0,
      onResent: () => void (resent = true),
      onGivenUp: () => undefined,
    });
    const status = solved?.outcome.status ?? 'failed';
    if (status === 'failed')
      console.error(`${shard.id}: ${solved?.fault?.message ?? 'left to other workers'}`);
    const { answer } = placement;
    const spans = answer === null ? [] : phaseSpans(shard.model, answer.response);
    solved?.release?.();
    return { shard, status, endMs: performance.now() - began, engine: answer?.engine ?? '', spans, resent };
  };
  const ends: Promise<Played>[] = [];
  const { meanwhile } = options;
  if (meanwhile !== undefined) setTimeout(() => meanwhile.act(), meanwhile.atMs);
  for (const shard of trace) {
    const wait = shard.atMs - (performance.now() - began);
    if (wait > 1) await sleep(wait);
    ends.push(solve(shard));
  }
  return Promise.all(ends);
}
