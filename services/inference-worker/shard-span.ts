import type { BusMessage } from '#lib/bus/port';
import { parseTraceParent, traceParentOf } from '#lib/tracing/trace-context';
import type { Span, Tracer } from '#lib/tracing/tracer';
import type { Shard, ShardOutcome } from '#schemas/domain';
import { headers as names } from '#schemas/topics';

/** Of one message of dispatch.shards: its span where the trace is recorded, else only what it passes on. */
export class ShardSpan {
  private readonly span: Span | null;
  private inference: Span | null = null;
  /** Of the trace, where somebody records it. */
  readonly traceId: string | undefined;

  constructor(
    tracer: Tracer,
    private readonly message: BusMessage,
  ) {
    const { headers, topic, partition, offset } = message;
    const parent = parseTraceParent(headers[names.traceparent], headers[names.tracestate]);
    this.traceId = parent?.isSampled === true ? parent.traceId : undefined;
    const attributes = {
      'messaging.system': 'kafka',
      'messaging.destination.name': topic,
      'messaging.destination.partition.id': String(partition),
      'messaging.kafka.offset': Number(offset),
    };
    const isWanted = tracer.records && this.traceId !== undefined;
    this.span = isWanted
      ? tracer.follow('dispatch.shards process', parent, { kind: 'consumer', attributes })
      : null;
  }

  /** For the outcome's message. */
  headers(): Record<string, string> {
    const { traceparent, tracestate } = this.message.headers;
    const own = this.span === null ? traceparent : traceParentOf(this.span.context);
    return {
      ...(own !== undefined && { [names.traceparent]: own }),
      ...(tracestate !== undefined && { [names.tracestate]: tracestate }),
    };
  }

  decoded({ runId, roundId, shardIndex, candidateCount, model }: Shard): void {
    this.span?.set({
      'roundhouse.run_id': runId,
      'roundhouse.round_id': roundId,
      'roundhouse.shard_index': shardIndex,
      'roundhouse.candidates': candidateCount,
      'roundhouse.model': model.name,
    });
  }

  /** A step that took so long and is over. */
  step(name: string, seconds: number): void {
    const now = Date.now();
    this.span?.part(name, now - seconds * 1_000, now);
  }

  /** For the engine; undefined where nothing is recorded. */
  inferenceBegins(): string | undefined {
    if (this.span === null) return undefined;
    this.inference = this.span.begin('inference', { kind: 'client' });
    return traceParentOf(this.inference.context);
  }

  event(name: string, attributes: Record<string, string>): void {
    this.inference?.event(name, attributes);
  }

  inferenceEnds(outcome: ShardOutcome | null): void {
    const { inference } = this;
    if (outcome?.status === 'failed') inference?.fail(String(outcome.errorCode));
    inference?.end();
  }

  end(outcome: ShardOutcome | null, fault = ''): void {
    const { span } = this;
    if (span === null) return;
    if (outcome !== null) span.set({ 'roundhouse.status': outcome.status });
    if (fault !== '') span.fail(fault);
    span.end();
  }
}
