import { choiceSetting, integerSetting, optional, urlSetting, type ConfigOf } from '../settings';

/** What else OpenTelemetry's exporter reads of the environment (headers, certificates, time-outs) it reads itself. */
export const tracingSettings = {
  /** Absent: no spans, and nothing of OpenTelemetry is loaded. */
  otlpEndpoint: optional(urlSetting('OTEL_EXPORTER_OTLP_ENDPOINT', '', ['http:', 'https:'])),
  otlpProtocol: choiceSetting('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf', 'grpc'], 'http/protobuf'),
  /** Rounds that ingest begins a trace of, at most; of shards a worker follows 32 times as many. */
  tracesPerSecond: integerSetting('ROUNDHOUSE_TRACES_PER_SECOND', { default: 10, min: 0, max: 10_000 }),
} as const;

export type TracingConfig = ConfigOf<typeof tracingSettings>;
