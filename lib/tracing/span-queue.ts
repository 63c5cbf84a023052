import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';

type Exported = Parameters<SpanExporter['export']>[0];
type OnResult = Parameters<SpanExporter['export']>[1];
type Ended = Parameters<SpanProcessor['onEnd']>[0];

export type SpanEnd = 'exported' | 'failed' | 'dropped';

/** ExportResultCode of @opentelemetry/core. */
const success = 0;

/** Counts what becomes of spans, and holds no more of them than it may. */
export class SpanQueue {
  private held = 0;

  constructor(
    private readonly most: number,
    private readonly onEnd: (end: SpanEnd, spans: number, error?: Error) => void,
  ) {}

  /** Before whoever makes batches of them. */
  before(next: SpanProcessor): SpanProcessor {
    return {
      onStart: (span, context) => next.onStart(span, context),
      onEnd: (span: Ended) => {
        if (this.held >= this.most) return this.onEnd('dropped', 1);
        this.held += 1;
        next.onEnd(span);
      },
      forceFlush: () => next.forceFlush(),
      shutdown: () => next.shutdown(),
    };
  }

  /** Around whoever sends the batches. */
  around(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans: Exported, onResult: OnResult) =>
        exporter.export(spans, (result) => {
          this.held -= spans.length;
          this.onEnd(result.code === success ? 'exported' : 'failed', spans.length, result.error);
          onResult(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
  }
}
