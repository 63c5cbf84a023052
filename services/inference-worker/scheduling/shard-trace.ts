import type { TracedPhase } from '#lib/trace/traced-phase';
import { TraceWriter } from '#lib/trace/trace-writer';
import { parseShardKey } from '#schemas/topics';
import type { PlacedAnswer, PlacedWork } from '../placement/placement';
import { phaseSpans } from './answer-times';

/** Whose phases; the worker's own are those of `cpu`. */
export interface TracedWork {
  readonly roundId: string;
  readonly shardIndex: number;
  readonly model: string;
}

/** Unix nanoseconds, as backends have them. */
export function nowNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

/** Requests of others than shards are named by their ids. */
function tracedWork({ request: { model, requestId } }: PlacedWork): TracedWork {
  const { roundId, shardIndex } = parseShardKey(requestId) ?? { roundId: requestId, shardIndex: 0 };
  return { roundId, shardIndex, model };
}

/** Writes the phases of shards into the file of ROUNDHOUSE_TRACE_FILE, for `npm run trace`. */
export class ShardTrace {
  private readonly writer: TraceWriter;

  /** Throws where the file can't be written. */
  constructor(file: string) {
    this.writer = new TraceWriter(file);
  }

  own(work: TracedWork, phase: 'decode' | 'publish', startNs: bigint, endNs: bigint): void {
    this.write(work, 'cpu', [{ phase, startNs, endNs }]);
  }

  answered(work: PlacedWork, { response, engine }: PlacedAnswer): void {
    const device = engine.replace(/#\d+$/, '');
    this.write(tracedWork(work), device, phaseSpans(work.request.model, response));
  }

  close(): Promise<void> {
    return this.writer.close();
  }

  private write(
    { roundId: round, shardIndex: shard, model }: TracedWork,
    device: string,
    spans: readonly Pick<TracedPhase, 'phase' | 'startNs' | 'endNs'>[],
  ): void {
    this.writer.write(
      spans.map(({ phase, startNs, endNs }) => ({ shard, round, model, device, phase, startNs, endNs })),
    );
  }
}
