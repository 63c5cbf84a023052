import type { TracedPhase } from '#lib/trace/traced-phase';
import { TraceWriter } from '#lib/trace/trace-writer';
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

/** As in `shardKey` of schemas/src/topics.ts; requests of others are named by their ids. */
function tracedWork({ request: { model, requestId } }: PlacedWork): TracedWork {
  const parts = requestId.split('\u001f');
  if (parts.length !== 4 || !/^\d{1,9}$/.test(parts[3]!)) return { roundId: requestId, shardIndex: 0, model };
  return { roundId: parts[2]!, shardIndex: Number(parts[3]), model };
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
