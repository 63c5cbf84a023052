import { createTelemetry } from '../telemetry';
import { openTracer } from './open-tracer';

test.each(['authorization=word\u0007', 'two words=word'])(
  'a header that gRPC can not send (%j) is a fault of its setting, and not shown',
  async (headers) => {
    process.env['OTEL_EXPORTER_OTLP_HEADERS'] = headers;
    const telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
    const config = {
      otlpEndpoint: 'http://127.0.0.1:1',
      otlpProtocol: 'grpc',
      tracesPerSecond: 1,
    } as const;
    const opened = openTracer(config, { service: 'test', version: '1', ...telemetry });
    await expect(opened).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(opened).rejects.toThrow(/^[^]*OTEL_EXPORTER_OTLP_HEADERS: (?![^]*word\u0007)/);
    delete process.env['OTEL_EXPORTER_OTLP_HEADERS'];
  },
);
