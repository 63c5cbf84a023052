import { pino, type Logger } from 'pino';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { LogSink } from './log-sink';

export type { Logger } from 'pino';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

export interface Telemetry {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Resolves when the log is written, or can't be, or after the time given. */
  flushed(timeoutMs: number): Promise<void>;
}

const standardOutput = 1;

/** Logs are JSON lines on stdout; the registry has the default metrics of the process. */
export function createTelemetry(options: {
  readonly service: string;
  readonly logLevel: LogLevel | 'silent';
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
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  collectDefaultMetrics({ register: registry });
  return { logger, registry, flushed: (timeoutMs) => sink.flushed(timeoutMs) };
}

/**
 * The values that a label may take: a closed list, or the number of distinct values after which every new
 * one is counted as `other`. So the number of series is bounded; ids belong into logs.
 */
export type LabelBounds = Readonly<Record<string, readonly string[] | number>>;

export interface EventSpec<F extends object> {
  readonly level: LogLevel;
  /** Read from a field of the event by its name. */
  readonly labels?: LabelBounds;
  /** Counts the events; `by` adds a field's value instead of 1. */
  readonly counter?: { readonly name: string; readonly help: string; readonly by?: (fields: F) => number };
  readonly histogram?: {
    readonly name: string;
    readonly help: string;
    readonly buckets: readonly number[];
    readonly value: (fields: F) => number;
  };
  readonly gauge?: { readonly name: string; readonly help: string; readonly value: (fields: F) => number };
}

/** Ties the type of an event's fields to its specification: `event<{ seconds: number }>({ … })`. */
export function event<F extends object>(spec: EventSpec<F>): EventSpec<F> {
  return spec;
}

type Specs = Readonly<Record<string, EventSpec<never>>>;
type Emitters<S extends Specs> = {
  readonly [K in keyof S]: S[K] extends EventSpec<infer F> ? (fields: F) => void : never;
};

type LabelsOf = (fields: Readonly<Record<string, unknown>>) => Record<string, string>;

function boundedLabels(bounds: LabelBounds): LabelsOf {
  const seen = new Map<string, Set<string>>();
  for (const [name, bound] of Object.entries(bounds)) {
    seen.set(name, new Set(typeof bound === 'number' ? [] : bound));
  }
  return (fields) => {
    const labels: Record<string, string> = {};
    for (const [name, bound] of Object.entries(bounds)) {
      const value = String(fields[name] ?? 'none');
      const values = seen.get(name)!;
      if (typeof bound === 'number' && values.size < bound) values.add(value);
      labels[name] = values.has(value) ? value : 'other';
    }
    return labels;
  };
}

type Recorder = (fields: Readonly<Record<string, unknown>>) => void;

function recorders(spec: EventSpec<never>, registry: Registry): Recorder[] {
  const { counter, histogram, gauge } = spec as EventSpec<Readonly<Record<string, unknown>>>;
  const labelsOf = boundedLabels(spec.labels ?? {});
  const shared = { labelNames: Object.keys(spec.labels ?? {}), registers: [registry] };
  const made: Recorder[] = [];
  if (counter) {
    const metric = new Counter({ name: counter.name, help: counter.help, ...shared });
    made.push((fields) => metric.inc(labelsOf(fields), counter.by?.(fields) ?? 1));
  }
  if (histogram) {
    const { name, help, buckets } = histogram;
    const metric = new Histogram({ name, help, buckets: [...buckets], ...shared });
    made.push((fields) => metric.observe(labelsOf(fields), histogram.value(fields)));
  }
  if (gauge) {
    const metric = new Gauge({ name: gauge.name, help: gauge.help, ...shared });
    made.push((fields) => metric.set(labelsOf(fields), gauge.value(fields)));
  }
  return made;
}

/**
 * One function per event: a call writes the log line (`event` is its name) and the metrics, so dashboards
 * can't drift from logs. Names are `<Noun><PastVerb>`.
 */
export function defineEvents<S extends Specs>(telemetry: Telemetry, specs: S): Emitters<S> {
  const emitters: Record<string, Recorder> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const record = recorders(spec, telemetry.registry);
    const { logger } = telemetry;
    emitters[name] = (fields) => {
      for (const metric of record) metric(fields);
      if (logger.isLevelEnabled(spec.level)) logger[spec.level]({ event: name, ...fields });
    };
  }
  return emitters as Emitters<S>;
}
