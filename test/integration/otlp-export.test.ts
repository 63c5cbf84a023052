import { createTelemetry } from '#lib/telemetry';
import { openTracer } from '#lib/tracing/open-tracer';
import { parseTraceParent } from '#lib/tracing/trace-context';
import type { TracingConfig } from '#lib/tracing/settings';
import { noTracer, type Tracer } from '#lib/tracing/tracer';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp/receiver';
import { until } from '../support/until';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const given = parseTraceParent(`00-${traceId}-b7ad6b7169203331-01`, 'rojo=1')!;
const notSampled = { ...given, isSampled: false };

let receiver: OtlpReceiver;
let tracer: Tracer = noTracer;
let telemetry: ReturnType<typeof createTelemetry>;

/** Over gRPC; a whole pipeline sends over HTTP (traced-pipeline.test.ts), whose exporter can't run inside of jest. */
async function open({ tracesPerSecond = 100 }: Partial<TracingConfig> = {}): Promise<Tracer> {
  const otlpProtocol = 'grpc';
  const otlpEndpoint = receiver.grpcUrl;
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = otlpEndpoint;
  telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
  const parts = { service: 'test', version: '1', ...telemetry };
  tracer = await openTracer({ otlpEndpoint, otlpProtocol, tracesPerSecond }, parts);
  return tracer;
}
const ended = (result: string) => telemetry.registry.total('dispatch_trace_spans_total', { result });

beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(async () => {
  delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  // The exporter loads modules when an export fails, which jest allows until the file ends.
  await tracer.close(30_000);
  await receiver.close();
});

test('spans arrive as they were told', async () => {
  const span = (await open()).root('POST /v1/rounds', given, {
    kind: 'server',
    start: 1_790_000_000_000.25,
  })!;
  span.set({ 'roundhouse.shards': 3, text: 'ä', good: true, share: 0.5 });
  span.part('or', 1_790_000_000_000_000_001n, 1_790_000_000_000_023_456n);
  span.fail('too large');
  span.end(1_790_000_000_010);
  await tracer.close(5_000);
  expect(receiver.spans).toHaveLength(2);
  const [part, whole] = receiver.spans;
  expect(whole).toMatchObject({
    service: 'test',
    traceId,
    parentId: 'b7ad6b7169203331',
    state: 'rojo=1',
    name: 'POST /v1/rounds',
    kind: 2, // server
    startNs: 1_790_000_000_000_250_000n,
    endNs: 1_790_000_000_010_000_000n,
    error: 'too large',
    attributes: { 'roundhouse.shards': '3', text: 'ä', good: true, share: 0.5 },
  });
  expect(part).toMatchObject({
    parentId: whole!.spanId,
    name: 'or',
    startNs: 1_790_000_000_000_000_001n,
    endNs: 1_790_000_000_000_023_456n,
    error: null,
  });
  expect(span.context).toEqual({ traceId, spanId: whole!.spanId, isSampled: true, state: 'rojo=1' });
  expect(ended('exported')).toBe(2);
});

test('what the caller does not record is not recorded, and a new trace is', async () => {
  await open();
  expect(tracer.root('a', notSampled, { kind: 'server' })).toBeNull();
  expect(tracer.follow('a', notSampled, { kind: 'consumer' })).toBeNull();
  expect(tracer.follow('a', null, { kind: 'consumer' })).toBeNull();
  const span = tracer.root('a', null, { kind: 'server' })!;
  expect(span.context.traceId).toMatch(/^[0-9a-f]{32}$/);
  span.end();
});

test('of a flood only the budget of a second is recorded', async () => {
  const openedMs = performance.now();
  await open({ tracesPerSecond: 3 });
  const begun = (begin: 'root' | 'follow') =>
    Array.from({ length: 1_000 }, () => tracer[begin]('a', given, { kind: 'server' })).filter(
      (span) => span !== null,
    );
  const [roots, followed] = [begun('root').length, begun('follow').length];
  // 3 at once, and 3 for each second since.
  const seconds = (performance.now() - openedMs) / 1_000;
  expect(roots).toBeLessThanOrEqual(3 + 3 * seconds);
  expect(followed).toBeLessThanOrEqual(32 * (3 + 3 * seconds));
  const sampled = (label: string) =>
    telemetry.registry.total('dispatch_traces_sampled_total', { sampled: label });
  expect(sampled('true') + sampled('false')).toBe(2_000);
});

test('without room spans are counted and dropped, and a collector that refuses costs nothing', async () => {
  receiver.takes = false;
  await open({ tracesPerSecond: 10_000 });
  const span = tracer.root('a', given, { kind: 'server' })!;
  for (let i = 0; i < 10_000; i += 1) span.part('b', 1, 2);
  span.end();
  // 4,096 wait; of 10,001 all others are dropped at once.
  expect(ended('dropped')).toBe(10_001 - 4_096);
  await tracer.close(200);
  receiver.takes = true;
  await until(() => ended('exported') + ended('failed') === 4_096, 'the end of every batch');
  expect(ended('failed')).toBeGreaterThan(0);
}, 40_000);

test('without an endpoint nothing of OpenTelemetry is loaded', async () => {
  telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
  tracer = await openTracer({}, { service: 'test', version: '1', ...telemetry });
  expect(tracer.records).toBe(false);
  expect(telemetry.registry.total('dispatch_trace_spans_total')).toBe(0);
});
