import type { handleUnaryCall, Metadata } from '@grpc/grpc-js';
import type { IncomingHttpHeaders } from 'node:http';
import { decodeInferResponse, type DecodedInfer } from '#lib/engine-client/infer-messages';
import type { InferRequest } from '#lib/engine-client/port';
import { parseTraceParent, traceParentOf, type TraceContext } from '#lib/tracing/trace-context';
import type { Span, Tracer } from '#lib/tracing/tracer';
import type { NamedTensor } from '#schemas/domain';
import { phaseSpans } from '../scheduling/answer-times';
import { labelOfPhase, traceParameter } from '../scheduling/phase-watch';
import type { PeerService } from '../remote/ucx/peer-service';

const name = 'inference.GRPCInferenceService/ModelInfer';

function contextOf(metadata: Metadata): TraceContext | null {
  const text = (key: string) => metadata.get(key)[0]?.toString();
  const context = parseTraceParent(text('traceparent'), text('tracestate'));
  return context?.isSampled === true ? context : null;
}

/** What the engine says of its phases, where the answer has it. */
function recordAnswer(span: Span, { model, tensors, raw }: DecodedInfer): void {
  if (raw.length !== tensors.length) return;
  const outputs = tensors.map((tensor, at) => ({ ...tensor, data: raw[at]! })) as unknown as NamedTensor[];
  span.set({ 'roundhouse.model': model });
  for (const { phase, startNs, endNs } of phaseSpans(model, { model, version: '', outputs }))
    span.part(labelOfPhase(phase), startNs, endNs);
}

/** An engine's bytes go on as they are, also those that we can't read. */
function recordBytes(span: Span, answer: Buffer): void {
  try {
    recordAnswer(span, decodeInferResponse(answer));
  } catch (error) {
    span.fail(`an answer that can't be read: ${(error as Error).message}`);
  }
}

/** A call of anybody; where its caller records the trace, it has a span, and the engine is told of that one. */
export function tracedInference(
  tracer: Tracer,
  infer: handleUnaryCall<Buffer, Buffer>,
): handleUnaryCall<Buffer, Buffer> {
  if (!tracer.records) return infer;
  return (call, callback) => {
    const context = contextOf(call.metadata);
    const span = context === null ? null : tracer.follow(name, context, { kind: 'server' });
    if (span === null) return infer(call, callback);
    call.metadata.set('traceparent', traceParentOf(span.context));
    infer(call, (error, answer, ...more) => {
      if (error !== null) span.fail(error.details ?? String(error.code));
      else recordBytes(span, answer ?? Buffer.alloc(0));
      span.end();
      callback(error, answer, ...more);
    });
  };
}

/** The same over HTTP: `call` gets the headers for the engine. */
export async function tracedHttpInference(
  tracer: Tracer,
  { traceparent, tracestate }: IncomingHttpHeaders,
  call: (headers: Readonly<Record<string, string>>) => Promise<DecodedInfer>,
): Promise<DecodedInfer> {
  const text = (header: unknown) => (typeof header === 'string' ? header : undefined);
  const context = parseTraceParent(text(traceparent), text(tracestate));
  const isWanted = tracer.records && context?.isSampled === true;
  const span = isWanted ? tracer.follow('POST /v2/models/infer', context, { kind: 'server' }) : null;
  if (span === null) return call(context === null ? {} : { traceparent: traceParentOf(context) });
  try {
    const answer = await call({ traceparent: traceParentOf(span.context) });
    recordAnswer(span, answer);
    return answer;
  } catch (error) {
    span.fail(String(error));
    throw error;
  } finally {
    span.end();
  }
}

function tracedRequest(tracer: Tracer, request: InferRequest): [InferRequest, Span | null] {
  const text = request.parameters?.[traceParameter];
  const context = typeof text === 'string' ? parseTraceParent(text) : null;
  if (context?.isSampled !== true) return [request, null];
  const span = tracer.follow('inference for another worker', context, { kind: 'server' });
  if (span === null) return [request, null];
  span.set({ 'roundhouse.model': request.model });
  const parameters = { ...request.parameters, [traceParameter]: traceParentOf(span.context) };
  return [{ ...request, parameters }, span];
}

/** Requests of other workers' shards, whose traces go on here. */
export function tracedPeers(tracer: Tracer, service: PeerService): PeerService {
  if (!tracer.records) return service;
  return {
    load: () => service.load(),
    ...(service.lease === undefined ? {} : { lease: (bytes: number) => service.lease!(bytes) }),
    async infer(request, until, signal) {
      const [traced, span] = tracedRequest(tracer, request);
      try {
        return await service.infer(traced, until, signal);
      } catch (error) {
        span?.fail(String(error));
        throw error;
      } finally {
        span?.end();
      }
    },
  };
}
