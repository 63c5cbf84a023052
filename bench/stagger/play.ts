import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
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
  /** Begin and end of the pass that it was in, for the thread that made it. */
  readonly passNs: readonly [bigint, bigint] | null;
  readonly resent: boolean;
  /** Unix time of the trace's begin. */
  readonly beganNs: bigint;
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

/** Answers are taken at least this often, as by a worker that takes shards from Kafka a few at a time. */
const mostBusyMs = 1;

function passOf(interval: string | null): readonly [bigint, bigint] | null {
  const [begin, end] = interval?.split('-') ?? [];
  return begin === undefined || end === undefined ? null : [BigInt(begin), BigInt(end)];
}

/** Sends the shards as they come, as a worker does with those that it takes from Kafka. */
export async function play(trace: readonly TracedShard[], options: PlayOptions): Promise<readonly Played[]> {
  const suspects = new Suspects();
  const beganAt = Date.now();
  const began = performance.now();
  const beganNs = BigInt(Math.round((performance.timeOrigin + began) * 1e3)) * 1_000n;
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
    const passNs = passOf(solved?.interval ?? null);
    solved?.release?.();
    const engine = answer?.engine ?? '';
    return { shard, status, endMs: performance.now() - began, engine, spans, passNs, resent, beganNs };
  };
  const ends: Promise<Played>[] = [];
  const { meanwhile } = options;
  if (meanwhile !== undefined) setTimeout(() => meanwhile.act(), meanwhile.atMs);
  let turnBegan = began;
  for (const shard of trace) {
    const wait = shard.atMs - (performance.now() - began);
    if (wait > 1) await sleep(wait);
    else if (performance.now() - turnBegan > mostBusyMs) await nextTurn();
    else {
      ends.push(solve(shard));
      continue;
    }
    turnBegan = performance.now();
    ends.push(solve(shard));
  }
  return Promise.all(ends);
}
