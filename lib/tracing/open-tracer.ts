import { setTimeout as sleep } from 'node:timers/promises';
import { SparseLog } from '../bus/sparse-log';
import type { Logger } from '../telemetry';
import type { MetricsRegistry } from '../metrics/registry';
import { configError, notShown } from '../config-error';
import type { OtlpOptions, OtlpSpans } from './otlp-tracer';
import type { TracingConfig } from './settings';
import { TokenBucket } from './token-bucket';
import type { TraceContext } from './trace-context';
import { noTracer, type Span, type SpanOptions, type SpanTime, type Tracer, type Attributes } from './tracer';

export interface TracerParts {
  readonly service: string;
  readonly version: string;
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
}

/** Of a round there are 32 shards, unless it is very large. */
const followedPerTrace = 32;

/** Which work is recorded: what callers ask for and what comes without a trace, up to the budget of each second. */
class BudgetedTracer implements Tracer {
  readonly records = true;
  private readonly roots: TokenBucket;
  private readonly followed: TokenBucket;

  constructor(
    private readonly spans: OtlpSpans,
    perSecond: number,
    private readonly count: (isSampled: boolean) => void,
  ) {
    this.roots = new TokenBucket(perSecond);
    this.followed = new TokenBucket(followedPerTrace * perSecond);
  }

  root(name: string, parent: TraceContext | null, options: SpanOptions): Span | null {
    return this.begin(this.roots, name, parent, options);
  }

  follow(name: string, parent: TraceContext | null, options: SpanOptions): Span | null {
    return parent === null ? null : this.begin(this.followed, name, parent, options);
  }

  part(
    parent: TraceContext,
    name: string,
    start: SpanTime,
    end: SpanTime,
    attributes: Attributes = {},
  ): void {
    this.spans.begin(name, parent, { kind: 'internal', start, attributes }).end(end);
  }

  async close(timeoutMs: number): Promise<void> {
    const sent = this.spans.close().catch(() => undefined);
    await Promise.race([sent, sleep(timeoutMs, undefined, { ref: false })]);
  }

  private begin(
    budget: TokenBucket,
    name: string,
    parent: TraceContext | null,
    options: SpanOptions,
  ): Span | null {
    const isSampled = parent?.isSampled !== false && budget.take();
    this.count(isSampled);
    return isSampled ? this.spans.begin(name, parent, options) : null;
  }
}

/** Its exporter reads headers of the environment itself, and throws at odd ones. */
function madeOf<T>(make: () => T): T {
  try {
    return make();
  } catch {
    // Its words quote a header, which may be a secret.
    const limit = 'name=value, separated by commas, without characters that a header may not have';
    throw configError([{ path: 'OTEL_EXPORTER_OTLP_HEADERS', value: notShown, limit }]);
  }
}

/** OpenTelemetry is loaded only where spans are wanted. Throws CONFIG_INVALID where its settings can't be used. */
export async function openTracer(
  config: Partial<TracingConfig>,
  { service, version, registry, logger }: TracerParts,
): Promise<Tracer> {
  const { otlpEndpoint = null, otlpProtocol = 'http/protobuf', tracesPerSecond = 0 } = config;
  if (otlpEndpoint === null) return noTracer;
  const { OtlpSpans: Spans } = await import('#lib/tracing/otlp-tracer');
  const ends = registry.counter(
    'dispatch_trace_spans_total',
    'Spans for OpenTelemetry, by what became of them.',
    {
      result: ['exported', 'failed', 'dropped'],
    },
  );
  const sampled = registry.counter(
    'dispatch_traces_sampled_total',
    'Rounds and shards by whether they are traced.',
    {
      sampled: ['true', 'false'],
    },
  );
  const failures = new SparseLog(logger, 'warn', 'SpansNotSent');
  const onSpans: OtlpOptions['onSpans'] = (result, count, error) => {
    ends.add({ result }, count);
    if (result !== 'exported') failures.report(error?.message ?? result, { spans: count });
  };
  const spans = madeOf(() => new Spans({ service, version, config: { otlpProtocol }, onSpans }));
  return new BudgetedTracer(spans, tracesPerSecond, (isSampled) => sampled.add({ sampled: isSampled }));
}
