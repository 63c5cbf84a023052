import type { TraceContext } from './trace-context';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Unix nanoseconds, or milliseconds. */
export type SpanTime = bigint | number;

export interface SpanOptions {
  readonly kind: SpanKind;
  /** Now unless given. */
  readonly start?: SpanTime;
  readonly attributes?: Attributes;
}

/** A part of a trace that is recorded. */
export interface Span {
  /** For whoever does a part of the work. */
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  event(name: string, attributes?: Attributes): void;
  /** A part that is over. */
  part(name: string, start: SpanTime, end: SpanTime, attributes?: Attributes): void;
  /** A part that goes on. */
  begin(name: string, options: SpanOptions): Span;
  /** It ends with an error. */
  fail(reason: string): void;
  end(at?: SpanTime): void;
}

/** Where spans go. Nothing of it ever waits, throws or holds work up: what there is no room for is counted. */
export interface Tracer {
  /** False: without OpenTelemetry. */
  readonly records: boolean;
  /** Of work that comes from outside; null where it isn't recorded: the caller did not ask for it, or the budget is used up. */
  root(name: string, parent: TraceContext | null, options: SpanOptions): Span | null;
  /** Of work whose trace another process of ours has begun, and records; null elsewhere. */
  follow(name: string, parent: TraceContext | null, options: SpanOptions): Span | null;
  /** Spans of a trace that is recorded, by its context, for parts that are over. */
  part(parent: TraceContext, name: string, start: SpanTime, end: SpanTime, attributes?: Attributes): void;
  /** Sends what there is, for so long at most. */
  close(timeoutMs: number): Promise<void>;
}

/** Without OpenTelemetry: contexts of callers are passed on, nothing is recorded. */
export const noTracer: Tracer = {
  records: false,
  root: () => null,
  follow: () => null,
  part: () => undefined,
  close: () => Promise.resolve(),
};
