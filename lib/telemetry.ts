import { pino, type Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { codeVersion } from './code-version';
import { LogSink } from './log-sink';
import type { Family, Sample } from './metrics/family';
import type { Fields, LabelBounds } from './metrics/label-space';
import { gaugeFamily, MetricsRegistry } from './metrics/registry';
import { noTracer, type Tracer } from './tracing/tracer';

export type { LabelBounds } from './metrics/label-space';
export type { Logger } from 'pino';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export interface Telemetry {
  readonly logger: Logger;
  readonly registry: MetricsRegistry;
  /** Records nothing until runService has opened it. */
  tracer: Tracer;
  /** Resolves when the log is written, or can't be, or after the time given. */
  flushed(timeoutMs: number): Promise<void>;
}

const standardOutput = 1;

/** Logs are JSON lines on stdout; the registry has the default metrics of the process. */
export function createTelemetry(options: {
  readonly service: string;
  readonly logLevel: LogLevel | 'silent';
  readonly eventLoopPrecisionMs?: number | undefined;
}): Telemetry {
  const sink = new LogSink(standardOutput);
  const settings = {
    level: options.logLevel,
    base: { service: options.service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    errorKey: 'error',
  };
  const logger = pino(settings, sink);
  const registry = new MetricsRegistry({ service: options.service });
  const { eventLoopPrecisionMs: eventLoopMonitoringPrecision = 10 } = options;
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  registry.add(buildInfo());
  const dropped = {
    name: 'dispatch_log_lines_dropped_total',
    help: 'Log lines for which there was no room.',
  };
  const lines = (): Sample[] => [{ suffix: '', labels: '', value: sink.droppedLines }];
  registry.add({ ...dropped, kind: 'counter', samples: lines });
  return { logger, registry, tracer: noTracer, flushed: (timeoutMs) => sink.flushed(timeoutMs) };
}

function buildInfo(): Family {
  const { version, commit } = codeVersion();
  const labels = { version, commit: commit?.slice(0, 12) ?? 'none' };
  return gaugeFamily('dispatch_build_info', '1; which code this is.', [{ labels, value: 1 }]);
}

interface MetricSpec {
  readonly name: string;
  readonly help: string;
  /** Of the event's labels; all of them unless said otherwise. */
  readonly labels?: readonly string[];
}

interface CounterSpec<F> extends MetricSpec {
  /** Adds a field's value instead of 1. */
  readonly by?: (fields: F) => number;
}

interface GaugeSpec<F> extends MetricSpec {
  /** null: what it tells of is there no more, and its series ends. */
  readonly value: (fields: F) => number | null;
  /** Before the first event, 0 is true of it. */
  readonly isZeroAtFirst?: boolean;
}

export interface Counted {
  /** Of each bucket, not cumulative; one more for larger values. */
  readonly counts: readonly number[];
  readonly sum: number;
}

interface HistogramSpec<F> extends MetricSpec {
  readonly buckets: readonly number[];
  /** A value, or values that were counted elsewhere in the same buckets. */
  readonly value: (fields: F) => number | Counted;
}

type OneOrMore<T> = T | readonly T[];

export interface EventSpec<F extends object> {
  readonly level: LogLevel;
  /** Read from a field of the event by its name; `closedBy` is the label `closed_by`. */
  readonly labels?: LabelBounds;
  /** Fields that others have as open labels: counters of this value stand at 0 from the event on. */
  readonly foresees?: readonly (keyof F & string)[];
  /** Counts the events. */
  readonly counter?: OneOrMore<CounterSpec<F>>;
  /** A field `traceId` of the event is the exemplar. */
  readonly histogram?: OneOrMore<HistogramSpec<F>>;
  readonly gauge?: OneOrMore<GaugeSpec<F>>;
}

/** Ties the type of an event's fields to its specification: `event<{ seconds: number }>({ … })`. */
export function event<F extends object>(spec: EventSpec<F>): EventSpec<F> {
  return spec;
}

type Specs = Readonly<Record<string, EventSpec<never>>>;
type Emitters<S extends Specs> = {
  readonly [K in keyof S]: S[K] extends EventSpec<infer F> ? (fields: F) => void : never;
};

type Recorder = (fields: Fields) => void;

function listOf<T>(given: OneOrMore<T> | undefined): readonly T[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? (given as readonly T[]) : [given as T];
}

function boundsOf({ labels = {} }: EventSpec<Fields>, { labels: names }: MetricSpec): LabelBounds {
  if (names === undefined) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([field]) => names.includes(field)));
}

function traceOf({ traceId }: Fields): string | undefined {
  return typeof traceId === 'string' && traceId !== '' ? traceId : undefined;
}

function foreseers({ foresees = [] }: EventSpec<Fields>, registry: MetricsRegistry): Recorder[] {
  if (foresees.length === 0) return [];
  return [(fields) => registry.foresee(Object.fromEntries(foresees.map((name) => [name, fields[name]])))];
}

function recorders(spec: EventSpec<Fields>, registry: MetricsRegistry): Recorder[] {
  const counters = listOf(spec.counter).map((one): Recorder => {
    const family = registry.counter(one.name, one.help, boundsOf(spec, one));
    const { by } = one;
    return by === undefined ? (fields) => family.add(fields) : (fields) => family.add(fields, by(fields));
  });
  const histograms = listOf(spec.histogram).map((one): Recorder => {
    const family = registry.histogram(one.name, one.help, one.buckets, boundsOf(spec, one));
    return (fields) => {
      const value = one.value(fields);
      if (typeof value === 'object') family.addCounts(fields, value.counts, value.sum);
      else family.observe(fields, value, traceOf(fields));
    };
  });
  const gauges = listOf(spec.gauge).map((one): Recorder => {
    const family = registry.gauge(one.name, one.help, boundsOf(spec, one), one.isZeroAtFirst);
    return (fields) => family.set(fields, one.value(fields));
  });
  return [...foreseers(spec, registry), ...counters, ...histograms, ...gauges];
}

/**
 * One function per event: a call writes the log line (`event` is its name) and the metrics, so dashboards
 * can't drift from logs. Names are `<Noun><PastVerb>`.
 */
export function defineEvents<S extends Specs>(telemetry: Telemetry, specs: S): Emitters<S> {
  const emitters: Record<string, Recorder> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const record = recorders(spec as EventSpec<Fields>, telemetry.registry);
    const { logger } = telemetry;
    emitters[name] = (fields) => {
      for (const metric of record) metric(fields);
      if (logger.isLevelEnabled(spec.level)) logger[spec.level]({ event: name, ...fields });
    };
  }
  return emitters as Emitters<S>;
}
