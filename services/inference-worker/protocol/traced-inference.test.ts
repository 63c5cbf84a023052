import { Metadata, type handleUnaryCall } from '@grpc/grpc-js';
import { decodeInferResponse, encodeInferResponse } from '#lib/engine-client/infer-messages';
import type { InferRequest } from '#lib/engine-client/port';
import { traceParentOf, type TraceContext } from '#lib/tracing/trace-context';
import { noTracer, type Span, type Tracer } from '#lib/tracing/tracer';
import type { UnixMs } from '#schemas/brands';
import { tracedHttpInference, tracedInference, tracedPeers } from './traced-inference';

const caller: TraceContext = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), isSampled: true, state: '' };
const ours: TraceContext = { ...caller, spanId: 'ef'.repeat(8) };

function recording() {
  const told: unknown[] = [];
  const span: Span = {
    context: ours,
    set: (attributes) => told.push(attributes),
    event: () => undefined,
    part: (name, start, end) => told.push([name, start, end]),
    begin: () => span,
    fail: (reason) => told.push(`failed: ${reason}`),
    end: () => told.push('end'),
  };
  const tracer: Tracer = { ...noTracer, records: true, follow: () => span };
  return { tracer, told };
}

function called(tracer: Tracer, metadata: Metadata, answer: Buffer | null): string | undefined {
  let onward: string | undefined;
  const infer: handleUnaryCall<Buffer, Buffer> = (call, callback) => {
    onward = call.metadata.get('traceparent')[0]?.toString();
    if (answer === null) callback({ code: 14, details: 'no engine' });
    else callback(null, answer);
  };
  const call = { metadata, request: Buffer.alloc(0) } as unknown as Parameters<typeof infer>[0];
  tracedInference(tracer, infer)(call, () => undefined);
  return onward;
}
function metadataWith(context: TraceContext | null): Metadata {
  const metadata = new Metadata();
  if (context !== null) metadata.set('traceparent', traceParentOf(context));
  return metadata;
}

function answerWithInterval(): Buffer {
  const data = Buffer.alloc(16);
  data.writeBigInt64LE(1_000n, 0);
  data.writeBigInt64LE(3_000n, 8);
  const interval = { name: 'interval', datatype: 'INT64', shape: [2], data } as const;
  return encodeInferResponse({ model: 'delivery_time', version: '1', id: 'r', tensors: [interval] });
}

test('a call of a recorded trace has a span with the phases, and the engine is told of it', () => {
  const { tracer, told } = recording();
  expect(called(tracer, metadataWith(caller), answerWithInterval())).toBe(traceParentOf(ours));
  expect(told).toEqual([{ 'roundhouse.model': 'delivery_time' }, ['etr', 1_000n, 3_000n], 'end']);
});

test('a failure ends it', () => {
  const { tracer, told } = recording();
  called(tracer, metadataWith(caller), null);
  expect(told).toEqual(['failed: no engine', 'end']);
});

test('an answer that can’t be read reaches its caller all the same', () => {
  const { tracer, told } = recording();
  called(tracer, metadataWith(caller), Buffer.from('0a7f', 'hex')); // 127 bytes of text, of which none is there
  expect(told).toEqual([expect.stringMatching(/^failed: an answer that can't be read/), 'end']);
});

test.each([
  ['without a context', null],
  ['of a trace that nobody records', { ...caller, isSampled: false }],
])('a call %s goes on as it is', (_, context) => {
  const { tracer, told } = recording();
  const onward = called(tracer, metadataWith(context), answerWithInterval());
  expect(onward).toBe(context === null ? undefined : traceParentOf(context));
  expect(told).toEqual([]);
});

test('so it is over HTTP', async () => {
  const { tracer, told } = recording();
  const seen: object[] = [];
  const call = (headers: object) => {
    seen.push(headers);
    return Promise.resolve(decodeInferResponse(answerWithInterval()));
  };
  await tracedHttpInference(tracer, { traceparent: traceParentOf(caller) }, call);
  await tracedHttpInference(noTracer, { traceparent: traceParentOf(caller) }, call);
  await tracedHttpInference(tracer, { traceparent: 'nonsense' }, call);
  await expect(
    tracedHttpInference(tracer, { traceparent: traceParentOf(caller) }, () =>
      Promise.reject(new Error('no')),
    ),
  ).rejects.toThrow('no');
  expect(seen).toEqual([{ traceparent: traceParentOf(ours) }, { traceparent: traceParentOf(caller) }, {}]);
  const whole = [{ 'roundhouse.model': 'delivery_time' }, ['etr', 1_000n, 3_000n], 'end'];
  expect(told).toEqual([...whole, 'failed: Error: no', 'end']);
});

test("another worker's request goes on in its trace", async () => {
  const { tracer, told } = recording();
  const seen: InferRequest[] = [];
  const service = {
    load: () => ({}),
    infer: (request: InferRequest) => {
      seen.push(request);
      return Promise.reject(new Error('busy'));
    },
  };
  const request: InferRequest = { model: 'm', version: '1', requestId: 'r', inputs: [] };
  const traced = { ...request, parameters: { traceparent: traceParentOf(caller), priority: 1 } };
  const peers = tracedPeers(tracer, service);
  const signal = new AbortController().signal;
  await expect(peers.infer(traced, 0 as UnixMs, signal)).rejects.toThrow('busy');
  await expect(peers.infer(request, 0 as UnixMs, signal)).rejects.toThrow('busy');
  expect(seen.map(({ parameters }) => parameters)).toEqual([
    { traceparent: traceParentOf(ours), priority: 1 },
    undefined,
  ]);
  expect(told).toEqual([{ 'roundhouse.model': 'm' }, 'failed: Error: busy', 'end']);
});
