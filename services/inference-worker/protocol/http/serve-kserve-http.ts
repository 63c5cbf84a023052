import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { defaultMaxMessageBytes } from '#lib/engine-client/grpc';
import { noTracer, type Tracer } from '#lib/tracing/tracer';
import type { AccessGate } from '#lib/access/gate';
import type { AuditLog } from '#lib/audit';
import { closeServer, listen } from '#lib/health';
import { createWebServer, type ServerTls } from '#lib/server-tls';
import { shownText } from '#schemas/shown-text';
import type { WantedModels } from '../../sentinel/wanted-models';
import { CallsUnderWay } from '../calls-under-way';
import { EngineConnection } from '../engine-connection';
import { tracedHttpInference } from '../traced-inference';
import { admittedActor } from './admitted-actor';
import { controls } from './control-answers';
import { EngineCalls } from './engine-calls';
import { HttpFault, unavailable } from './http-fault';
import { headerLength, jsonObjectOf, splitInferBody } from './infer-body';
import { httpAnswerOf, type HttpAnswer } from './infer-answer';
import { httpInferOf } from './infer-request';
import { BodyReader, drain } from './request-body';
import { routeOf, type Route } from './route';

export interface KserveHttpOptions {
  readonly bind: string;
  /** 0: any free port. */
  readonly port: number;
  /** The variable that names it. */
  readonly portKey?: string;
  /** Of the active engine (`unix:…`); null while there is none: then calls are answered with 503. */
  readonly engineAddress: () => string | null;
  readonly whyDown: () => string | null;
  readonly maxBodyBytes: number;
  readonly maxMessageBytes?: number;
  /** For the whole of a request to arrive. */
  readonly bodyTimeoutMs?: number;
  readonly controlTimeoutMs?: number;
  readonly workTimeoutMs?: number;
  readonly maxConnections?: number;
  /** Loads and unloads that the engine has carried out are noted here. */
  readonly models?: WantedModels;
  /** null or absent: in the clear. */
  readonly tls?: ServerTls | null;
  /** Of loads and unloads. */
  readonly audit: AuditLog;
  /** null: whoever can connect may do everything. */
  readonly gate: AccessGate | null;
  /** For calls whose callers record a trace. */
  readonly tracer?: Tracer;
  /** For faults that are ours. */
  readonly onFault?: (error: Error) => void;
}

export interface KserveHttp {
  readonly port: number;
  close(): Promise<void>;
}

/** Bodies of the greatest length that may be under way at once. */
const greatestAtOnce = 4;

const auditedRoutes: Readonly<Record<string, string>> = {
  repositoryLoad: 'model.load',
  repositoryUnload: 'model.unload',
};

const connectionsOf = ({ maxConnections = 1_000 }: KserveHttpOptions): number => maxConnections;

function serverOf(options: KserveHttpOptions): Server {
  const bodyTimeoutMs = options.bodyTimeoutMs ?? 30_000;
  const server = createWebServer(options.tls ?? null, 'required', {
    requestTimeout: bodyTimeoutMs,
    headersTimeout: Math.min(10_000, bodyTimeoutMs),
    connectionsCheckingInterval: Math.min(1_000, bodyTimeoutMs),
    keepAliveTimeout: 60_000,
  });
  server.maxConnections = connectionsOf(options);
  server.on('clientError', answerClientError);
  return server;
}

const clientErrors: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** What isn't even HTTP, or came too slowly, still gets its answer. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = clientErrors[error.code ?? ''] ?? '400 Bad Request';
  const text = status.startsWith('408') ? 'the request did not come in time' : status.slice(4);
  const body = JSON.stringify({ error: text });
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => socket.destroy());
}

function send(response: ServerResponse, status: number, answer: HttpAnswer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { ...answer.headers, 'content-length': answer.body.length });
  response.end(answer.body);
}

function sendJson(response: ServerResponse, status: number, value: unknown, headers = {}): void {
  const body = value === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(value));
  const type = value === undefined ? {} : { 'content-type': 'application/json' };
  send(response, status, { headers: { ...type, ...headers }, body });
}

/** What is left of a body belongs to no other request. */
function isUnread({ complete, headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return !complete && (encoding !== undefined || Number(length ?? 0) > 0);
}

/** Fires when the caller went away before its answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

class KserveHttpServer {
  private readonly bodies: BodyReader;
  private readonly underWay: CallsUnderWay;

  constructor(
    private readonly calls: EngineCalls,
    private readonly options: KserveHttpOptions,
  ) {
    const { maxBodyBytes } = options;
    this.underWay = new CallsUnderWay({ calls: connectionsOf(options), bytes: Infinity });
    this.bodies = new BodyReader({ maxBodyBytes, maxBytesAtOnce: greatestAtOnce * maxBodyBytes });
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let over = (): void => undefined;
    try {
      over = this.enter();
      const route = routeOf(request.method ?? '', request.url ?? '');
      const actor = await admittedActor(this.options.gate, route, request);
      await this.answer(route, request, response, actor);
    } catch (error) {
      this.answerFault(error, request, response);
    } finally {
      over();
    }
  }

  /** One for each connection: more come only from those that don't wait for their answers. */
  private enter(): () => void {
    try {
      return this.underWay.enter(0);
    } catch (error) {
      throw unavailable((error as Error).message);
    }
  }

  private async answer(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    actor: string,
  ): Promise<void> {
    const gone = goneSignal(response);
    // Who need not say who they are take nothing of the room for bodies.
    if (route.name === 'serverLive' || route.name === 'serverReady') {
      const answer = controls[route.name]({ route, body: new Map(), calls: this.calls, gone });
      return sendJson(response, 200, await answer);
    }
    await this.bodies.with(request, async (body) => {
      if (route.name === 'modelInfer') {
        const infer = httpInferOf(
          route.subject,
          route.version,
          splitInferBody(request.headers[headerLength], body),
        );
        const { tracer = noTracer } = this.options;
        const answer = await tracedHttpInference(tracer, request.headers, (headers) =>
          this.calls.infer(infer, gone, headers),
        );
        return send(response, 200, httpAnswerOf(answer, infer.isBinary));
      }
      const control = controls[route.name as keyof typeof controls];
      const json = route.method === 'POST' ? jsonObjectOf(body) : new Map<string, never>();
      const answer = control({ route, body: json, calls: this.calls, gone });
      sendJson(response, 200, await this.audited(route, request, actor, answer));
    });
  }

  /** A load or unload, also one that fails. */
  private async audited<T>(
    route: Route,
    request: IncomingMessage,
    actor: string,
    work: Promise<T>,
  ): Promise<T> {
    const action = auditedRoutes[route.name];
    if (action === undefined) return work;
    const address = request.socket.remoteAddress ?? 'unknown';
    const entry = { action, actor, subject: shownText(route.subject, 100), address };
    try {
      const answer = await work;
      this.options.audit.record({ ...entry, outcome: 'done' });
      return answer;
    } catch (error) {
      const reason = shownText((error as Error).message, 200);
      this.options.audit.record({ ...entry, outcome: 'failed', reason });
      throw error;
    }
  }

  private answerFault(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (request.errored) return void response.destroy();
    const known = error instanceof HttpFault ? error : new HttpFault(500, 'a fault of the worker');
    if (!(error instanceof HttpFault)) this.options.onFault?.(error as Error);
    const close = isUnread(request) ? { connection: 'close' } : {};
    sendJson(response, known.status, { error: known.message }, { ...known.headers, ...close });
    if (isUnread(request)) drain(request);
  }
}

/**
 * The HTTP side of KServe v2 with Triton's extensions. Every request becomes a call of the active engine;
 * the port stays open while engines come and go.
 */
export async function serveKserveHttp(options: KserveHttpOptions): Promise<KserveHttp> {
  const maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
  const connection = new EngineConnection(options.engineAddress, maxMessageBytes);
  const limits = {
    maxMessageBytes,
    controlTimeoutMs: options.controlTimeoutMs ?? 5_000,
    workTimeoutMs: options.workTimeoutMs ?? 300_000,
  };
  const calls = new EngineCalls(connection, options.whyDown, limits, options.models);
  const kserve = new KserveHttpServer(calls, options);
  const server = serverOf(options);
  server.on('request', (request, response) => void kserve.handle(request, response));
  const port = await listen(server, options.bind, options.port, options.portKey);
  const close = async (): Promise<void> => {
    await closeServer(server);
    connection.close();
  };
  return { port, close };
}
