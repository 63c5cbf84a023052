import { ROOT_CONTEXT, SpanKind as Kinds, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, HrTime, Span as OtelSpan, Tracer as OtelTracer } from '@opentelemetry/api';
import { createTraceState } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { TracingConfig } from './settings';
import { SpanQueue, type SpanEnd } from './span-queue';
import type { TraceContext } from './trace-context';
import type { Attributes, Span, SpanOptions, SpanTime } from './tracer';

export interface OtlpOptions {
  readonly service: string;
  readonly version: string;
  readonly config: Pick<TracingConfig, 'otlpProtocol'>;
  onSpans(end: SpanEnd, spans: number, error?: Error): void;
}

/** Spans that wait to be sent; a span is some 2 KiB. */
const mostSpans = 4_096;
const batch = { maxQueueSize: 2 * mostSpans, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 };
const spanLimits = { attributeValueLengthLimit: 256, attributeCountLimit: 32, eventCountLimit: 32 };

const kinds = {
  internal: Kinds.INTERNAL,
  server: Kinds.SERVER,
  client: Kinds.CLIENT,
  producer: Kinds.PRODUCER,
  consumer: Kinds.CONSUMER,
} as const;

function timeOf(time: SpanTime): HrTime {
  if (typeof time === 'bigint') return [Number(time / 1_000_000_000n), Number(time % 1_000_000_000n)];
  const seconds = Math.floor(time / 1_000);
  return [seconds, Math.round((time - seconds * 1_000) * 1e6)];
}

function contextOf(parent: TraceContext): Context {
  const { traceId, spanId, state } = parent;
  const traceState = state === '' ? {} : { traceState: createTraceState(state) };
  const remote = { traceId, spanId, isRemote: true, traceFlags: TraceFlags.SAMPLED, ...traceState };
  return trace.setSpanContext(ROOT_CONTEXT, remote);
}

function exporterOf({ otlpProtocol }: OtlpOptions['config']): SpanExporter {
  return otlpProtocol === 'grpc' ? new GrpcExporter() : new HttpExporter();
}

/** OpenTelemetry's SDK behind the few calls that services make. Every span that is begun is recorded. */
export class OtlpSpans {
  private readonly provider: BasicTracerProvider;
  private readonly tracer: OtelTracer;

  constructor({ service, version, config, onSpans }: OtlpOptions) {
    const queue = new SpanQueue(mostSpans, onSpans);
    const processor = new BatchSpanProcessor(queue.around(exporterOf(config)), batch);
    const named = { 'service.namespace': 'roundhouse', 'service.name': service, 'service.version': version };
    const own = resourceFromAttributes({ ...named, 'service.instance.id': `${service}-${process.pid}` });
    this.provider = new BasicTracerProvider({
      resource: own.merge(detectResources({ detectors: [envDetector] })),
      sampler: new AlwaysOnSampler(),
      spanLimits,
      spanProcessors: [queue.before(processor)],
    });
    this.tracer = this.provider.getTracer('roundhouse', version);
  }

  begin(name: string, parent: TraceContext | null, { kind, start, attributes = {} }: SpanOptions): Span {
    const options = {
      kind: kinds[kind],
      attributes,
      ...(start === undefined ? {} : { startTime: timeOf(start) }),
    };
    const context = parent === null ? ROOT_CONTEXT : contextOf(parent);
    return new OtlpSpan(this, this.tracer.startSpan(name, options, context), parent?.state ?? '');
  }

  async close(): Promise<void> {
    await this.provider.shutdown();
  }
}

class OtlpSpan implements Span {
  readonly context: TraceContext;

  constructor(
    private readonly spans: OtlpSpans,
    private readonly span: OtelSpan,
    state: string,
  ) {
    const { traceId, spanId } = span.spanContext();
    this.context = { traceId, spanId, isSampled: true, state };
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }
  event(name: string, attributes: Attributes = {}): void {
    this.span.addEvent(name, attributes);
  }
  begin(name: string, options: SpanOptions): Span {
    return this.spans.begin(name, this.context, options);
  }
  part(name: string, start: SpanTime, end: SpanTime, attributes: Attributes = {}): void {
    this.begin(name, { kind: 'internal', start, attributes }).end(end);
  }
  fail(reason: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR, message: reason.slice(0, 256) });
  }
  end(at?: SpanTime): void {
    this.span.end(at === undefined ? undefined : timeOf(at));
  }
}
