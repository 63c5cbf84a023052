import { createServer, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import {
  Server,
  status,
  type MethodDefinition,
  type sendUnaryData,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { bindServer } from '#lib/grpc-bind';
import { closeServer, listen } from '#lib/health';
import { projectPath } from '#schemas/project-root';

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface WireSpan {
  readonly trace_id: Buffer;
  readonly span_id: Buffer;
  readonly parent_span_id: Buffer;
  readonly trace_state: string;
  readonly name: string;
  readonly kind: number;
  readonly start_time_unix_nano: string;
  readonly end_time_unix_nano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly message: string; readonly code: number } | null;
}

interface ExportRequest {
  readonly resource_spans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scope_spans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: a root. */
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly error: string | null;
}

/** Takes spans as a collector does, over HTTP and over gRPC. */
export interface OtlpReceiver {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly spans: readonly ReceivedSpan[];
  /** While it is false, requests are refused. */
  takes: boolean;
  close(): Promise<void>;
}

function serviceDefinition(): ServiceDefinition {
  const options = { keepCase: true, longs: String, defaults: true, oneofs: true };
  const definitions = loadSync(projectPath('test', 'support', 'otlp', 'trace-service.proto'), options);
  return definitions['opentelemetry.proto.collector.trace.v1.TraceService'] as ServiceDefinition;
}

function attributesOf(rows: readonly KeyValue[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    rows.map(({ key, value }) => [
      key,
      value[value['value'] as unknown as string] as string | number | boolean,
    ]),
  );
}

function spansOf({ resource_spans: resources }: ExportRequest): ReceivedSpan[] {
  return resources.flatMap(({ resource, scope_spans: scopes }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    return scopes.flatMap(({ spans }) => spans.map((span) => spanOf(service, span)));
  });
}

function spanOf(service: string, span: WireSpan): ReceivedSpan {
  return {
    service,
    traceId: span.trace_id.toString('hex'),
    spanId: span.span_id.toString('hex'),
    parentId: span.parent_span_id.toString('hex'),
    state: span.trace_state,
    name: span.name,
    kind: span.kind,
    startNs: BigInt(span.start_time_unix_nano),
    endNs: BigInt(span.end_time_unix_nano),
    attributes: attributesOf(span.attributes),
    error: span.status?.code === 2 ? span.status.message : null,
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const definition = serviceDefinition();
  const { requestDeserialize: decode } = definition['Export'] as MethodDefinition<ExportRequest, object>;
  const spans: ReceivedSpan[] = [];
  const state = { takes: true };
  const http = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const isRight =
        request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      if (!state.takes || !isRight) return void response.writeHead(state.takes ? 400 : 503).end();
      spans.push(...spansOf(decode(body)));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  const httpPort = await listen(http, '127.0.0.1', 0);
  const grpc = new Server();
  grpc.addService(definition, {
    Export: ({ request }: { request: ExportRequest }, done: sendUnaryData<object>) => {
      if (!state.takes) return done({ code: status.INVALID_ARGUMENT, details: 'not now' });
      spans.push(...spansOf(request));
      done(null, {});
    },
  });
  const grpcPort = await bindServer(grpc, '127.0.0.1:0');
  return {
    httpUrl: `http://127.0.0.1:${httpPort}`,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    spans,
    get takes() {
      return state.takes;
    },
    set takes(takes: boolean) {
      state.takes = takes;
    },
    async close() {
      grpc.forceShutdown();
      await closeServer(http, 0);
    },
  };
}
