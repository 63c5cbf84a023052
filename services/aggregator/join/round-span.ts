import { parseTraceParent, sampledTraceId, traceParentOf } from '#lib/tracing/trace-context';
import type { Span, Tracer } from '#lib/tracing/tracer';
import type { RoundManifest } from '#schemas/domain';
import type { RoundMeta } from './open-round';

/** What was done to decide a round, each in seconds and one after the other, up to now. */
export interface DecidedIn {
  readonly decide: number;
  readonly claim: number;
  readonly publish: number;
}

/** The round's span from its manifest to its decision, where its trace is recorded; else only what is passed on. */
export class RoundSpan {
  private readonly beganMs = Date.now();
  private readonly span: Span | null;

  constructor(
    tracer: Tracer,
    private readonly meta: RoundMeta,
    { round, shardCount }: RoundManifest,
  ) {
    const parent = parseTraceParent(meta.traceparent ?? undefined, meta.tracestate);
    const isWanted = tracer.records && parent?.isSampled === true;
    const attributes = {
      'messaging.system': 'kafka',
      'roundhouse.tenant_id': round.tenantId,
      'roundhouse.run_id': round.runId,
      'roundhouse.round_id': round.roundId,
      'roundhouse.shards': shardCount,
    };
    this.span = isWanted
      ? tracer.follow('dispatch.rounds process', parent, { kind: 'consumer', attributes })
      : null;
  }

  /** For the decision's message. */
  get traceparent(): string | null {
    return this.span === null ? this.meta.traceparent : traceParentOf(this.span.context);
  }
  /** Where somebody records it. */
  get traceId(): string | undefined {
    return sampledTraceId(this.meta.traceparent);
  }

  decided(
    { decide, claim, publish }: DecidedIn,
    attributes: Readonly<Record<string, string | number | boolean>>,
  ): void {
    const { span } = this;
    if (span === null) return;
    span.set(attributes);
    const now = Date.now();
    const sent = now - 1_000 * publish;
    const claimed = sent - 1_000 * claim;
    const began = claimed - 1_000 * decide;
    span.part('collect outcomes', this.beganMs, Math.max(this.beganMs, began));
    span.part('decide', began, claimed);
    span.part('claim', claimed, sent);
    span.part('dispatch.decisions publish', sent, now);
  }

  end(fault: string | null): void {
    if (fault !== null) this.span?.fail(fault);
    this.span?.end();
  }
}
