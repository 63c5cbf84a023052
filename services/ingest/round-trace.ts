import {
  newTraceContext,
  parseTraceParent,
  traceParentOf,
  type TraceContext,
} from '#lib/tracing/trace-context';
import type { Span, Tracer } from '#lib/tracing/tracer';
import type { RoundKey } from '#schemas/domain';
import type { PhaseClock } from '#schemas/phases';
import type { Edge } from './events';

interface Submitted {
  readonly edge: Edge;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

const names = { http: 'POST /v1/rounds', grpc: 'roundhouse.v1.Dispatch/SubmitRound' } as const;

/** The caller's trace, or a new one; with a span of ours in it where the trace is recorded here. */
export class RoundTrace {
  private readonly context: TraceContext;
  private readonly span: Span | null;

  constructor(
    tracer: Tracer,
    { edge, traceparent, tracestate }: Submitted,
    private readonly receivedAt: number,
  ) {
    const given = parseTraceParent(traceparent, tracestate);
    this.span = tracer.root(names[edge], given, { kind: 'server', start: receivedAt });
    const passedOn = given ?? newTraceContext();
    // Where nobody here records it although it was asked for, the services behind need not either.
    this.context = this.span?.context ?? (tracer.records ? { ...passedOn, isSampled: false } : passedOn);
  }

  get traceparent(): string {
    return traceParentOf(this.context);
  }
  get tracestate(): string {
    return this.context.state;
  }
  /** Where it is recorded. */
  get traceId(): string | undefined {
    return this.context.isSampled ? this.context.traceId : undefined;
  }

  accepted(
    { tenantId, runId, roundId }: RoundKey,
    { shards, candidates }: { readonly shards: number; readonly candidates: number },
    { phases }: PhaseClock,
  ): void {
    const { span } = this;
    if (span === null) return;
    span.set({
      'roundhouse.tenant_id': tenantId,
      'roundhouse.run_id': runId,
      'roundhouse.round_id': roundId,
      'roundhouse.shards': shards,
      'roundhouse.candidates': candidates,
    });
    let at = this.receivedAt;
    for (const [name, ms] of Object.entries(phases)) span.part(name, at, (at += ms));
    span.end();
  }

  refused(code: string, reason: string): void {
    this.span?.set({ 'error.type': code });
    this.span?.fail(reason);
    this.span?.end();
  }
}
