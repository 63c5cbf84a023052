import {
  Server,
  type sendUnaryData,
  type ServerUnaryCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServiceDefinition,
  type ServiceError,
  type StatusObject,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { defaultMaxMessageBytes } from '#lib/engine-client/grpc';
import { decodeRepositoryModel } from '#lib/engine-client/control-messages';
import { statusOf } from '#lib/engine-client/grpc-errors';
import { loadProtocol } from '#lib/engine-client/protocol';
import { bindServer } from '#lib/grpc-bind';
import { addressOf } from '#lib/listen-fault';
import type { AccessGate } from '#lib/access/gate';
import { findAdmitted } from '#lib/access/grpc-admission';
import type { AuditLog } from '#lib/audit';
import { asIs, opaqueMessages } from '#lib/opaque-method';
import { grpcServerCredentials } from '#lib/grpc-server-credentials';
import { actorOfSubject, type ServerTls } from '#lib/server-tls';
import { noTracer, type Tracer } from '#lib/tracing/tracer';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { PeerService } from '../remote/ucx/peer-service';
import type { ModelOperation, WantedModels } from '../sentinel/wanted-models';
import { CallsUnderWay, type CallBounds } from './calls-under-way';
import { EngineConnection } from './engine-connection';
import { modelAdmission } from './model-access';
import { lostCall } from './lost-call';
import { peerInference } from './serve-peer-inference';
import { tracedInference } from './traced-inference';

export interface InferenceProtocolOptions {
  readonly bind: string;
  /** 0: any free port. */
  readonly port: number;
  /** The variable that names it. */
  readonly portKey?: string;
  /** The engine's address now (`unix:…`), or null while there is none: then calls are UNAVAILABLE. */
  readonly engineAddress: string | (() => string | null);
  /** Said while there is no engine. */
  readonly whyDown?: () => string | null;
  readonly maxMessageBytes?: number;
  /** 1,000 calls, and eight of the largest messages, unless said otherwise. */
  readonly atOnce?: CallBounds;
  /** Loads and unloads that the engine has carried out are noted here. */
  readonly models?: WantedModels;
  /** null or absent: in the clear. */
  readonly tls?: ServerTls | null;
  /** Of loads and unloads. */
  readonly audit: AuditLog;
  /** null: whoever can connect may do everything. */
  readonly gate: AccessGate | null;
  /** What other workers ask for; absent: they are served as everybody else is. */
  readonly peers?: PeerService;
  /** For calls whose callers record a trace. */
  readonly tracer?: Tracer;
  /** Spoken beside the protocol. */
  readonly others?: readonly OtherService[];
}

export interface OtherService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
}

export interface InferenceProtocol {
  readonly port: number;
  close(): Promise<void>;
}

/** Whoever holds a connection and doesn't speak the protocol loses it; a client of gRPC answers pings by itself. */
const silentPeers = { 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 10_000 };

/** Every method with messages left as bytes. */
function opaque(service: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(service).map(([name, method]) => [name, { ...method, ...opaqueMessages }]);
  return Object.fromEntries(methods) as ServiceDefinition;
}

const operations: Readonly<Record<string, ModelOperation['kind']>> = {
  RepositoryModelLoad: 'load',
  RepositoryModelUnload: 'unload',
};

/** For loads and unloads, whatever time their caller has. */
const operationTimeoutMs = 600_000;

type WhyDown = () => string | null;

function noEngine(whyDown: WhyDown): Partial<StatusObject> {
  const why = whyDown() ?? 'it is being replaced';
  return statusOf(new RoundhouseError('ENGINE_LOST', `no engine serves now: ${why}`));
}

/** An engine that hung up says nothing; its own refusals come with a code of the error table. */
function lostOr(error: ServiceError, whyDown: WhyDown): Partial<StatusObject> {
  const { code, details, metadata } = error;
  const lost = lostCall(error, whyDown);
  return lost === null ? { code, details, metadata } : statusOf(new RoundhouseError('ENGINE_LOST', lost));
}

/** The active engine has carried it out; whether others will is not known. */
function notNoted(cause: unknown): RoundhouseError {
  if (cause instanceof RoundhouseError) return cause;
  return new RoundhouseError('INTERNAL', String(cause), [], { cause });
}

function holderOf(call: ServerUnaryCall<Buffer, Buffer>): string {
  const certificate = call.getAuthContext().sslPeerCertificate;
  return certificate === undefined ? 'anyone' : actorOfSubject(certificate.subject);
}

/** Also what an engine refuses, and what none was there for. */
function audited(
  kind: ModelOperation['kind'],
  call: ServerUnaryCall<Buffer, Buffer>,
  callback: sendUnaryData<Buffer>,
  audit: AuditLog,
): sendUnaryData<Buffer> {
  const entry = {
    action: `model.${kind}`,
    actor: findAdmitted(call.metadata)?.actor ?? holderOf(call),
    subject: shownText(decodeRepositoryModel(call.request), 100),
    address: call.getPeer(),
  };
  return (error, answer) => {
    if (error === null) audit.record({ ...entry, outcome: 'done' });
    else audit.record({ ...entry, outcome: 'failed', reason: shownText(error.details ?? '', 200) });
    callback(error, answer);
  };
}

/**
 * A load or unload. An engine carries it out also when its caller has given up: so its end is awaited, and
 * noted. One that an engine has done which is replaced by now was for nothing: the caller hears that it is lost.
 */
function forwardOperation(
  path: string,
  kind: ModelOperation['kind'],
  engine: EngineConnection,
  whyDown: WhyDown,
  underWay: CallsUnderWay,
  { models, audit }: Pick<InferenceProtocolOptions, 'models' | 'audit'>,
): handleUnaryCall<Buffer, Buffer> {
  return (call, answered) => {
    const { request, metadata } = call;
    const callback = audited(kind, call, answered, audit);
    const client = engine.get();
    if (client === null) return callback(noEngine(whyDown));
    let over: () => void;
    try {
      over = underWay.enter(request.length, Number(call.getDeadline()));
    } catch (error) {
      return callback(statusOf(error as RoundhouseError));
    }
    const options = { deadline: Date.now() + operationTimeoutMs };
    client.makeUnaryRequest(path, asIs, asIs, request, metadata, options, (error, answer) => {
      over();
      if (error !== null) return callback(lostOr(error, whyDown));
      if (engine.get() !== client) return callback(noEngine(whyDown));
      const noted = models?.note({ kind, model: decodeRepositoryModel(request) }) ?? Promise.resolve();
      noted.then(
        () => callback(null, answer),
        (fault: unknown) => callback(statusOf(notNoted(fault))),
      );
    });
  };
}

function forwardUnary(
  path: string,
  engine: EngineConnection,
  whyDown: WhyDown,
  underWay: CallsUnderWay,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const client = engine.get();
    if (client === null) return callback(noEngine(whyDown));
    const deadline = call.getDeadline();
    let over: () => void;
    try {
      over = underWay.enter(call.request.length, Number(deadline));
    } catch (error) {
      return callback(statusOf(error as RoundhouseError));
    }
    const onward = client.makeUnaryRequest(
      path,
      asIs,
      asIs,
      call.request,
      call.metadata,
      { deadline },
      (error, answer) => {
        over();
        if (error !== null) return callback(lostOr(error, whyDown));
        callback(null, answer);
      },
    );
    call.on('cancelled', () => onward.cancel());
  };
}

function forwardStream(
  path: string,
  engine: EngineConnection,
  whyDown: WhyDown,
  underWay: CallsUnderWay,
): handleServerStreamingCall<Buffer, Buffer> {
  return (call) => {
    const client = engine.get();
    if (client === null) return void call.emit('error', noEngine(whyDown));
    const deadline = call.getDeadline();
    let over: () => void;
    try {
      over = underWay.enter(call.request.length, Number(deadline));
    } catch (error) {
      return void call.emit('error', statusOf(error as RoundhouseError));
    }
    const options = { deadline };
    const onward = client.makeServerStreamRequest(path, asIs, asIs, call.request, call.metadata, options);
    onward.once('status', over);
    onward.on('data', (bytes: Buffer) => call.write(bytes));
    onward.on('error', (error: ServiceError) => call.emit('error', lostOr(error, whyDown)));
    onward.on('end', () => call.end());
    call.on('cancelled', () => onward.cancel());
  };
}

function forwarders(
  service: ServiceDefinition,
  engine: EngineConnection,
  whyDown: WhyDown,
  underWay: CallsUnderWay,
  noted: Pick<InferenceProtocolOptions, 'models' | 'audit'>,
): UntypedServiceImplementation {
  const handlers = Object.entries(service).map(([name, { path, responseStream }]) => {
    const kind = operations[name];
    if (kind !== undefined) return [name, forwardOperation(path, kind, engine, whyDown, underWay, noted)];
    if (responseStream) return [name, forwardStream(path, engine, whyDown, underWay)];
    return [name, forwardUnary(path, engine, whyDown, underWay)];
  });
  return Object.fromEntries(handlers) as UntypedServiceImplementation;
}

/**
 * The inference protocol on TCP: every call goes to the engine and back as the bytes that it is. Deadlines
 * and cancellations go along.
 */
export async function serveInferenceProtocol(options: InferenceProtocolOptions): Promise<InferenceProtocol> {
  const { bind, engineAddress, whyDown = () => null, maxMessageBytes = defaultMaxMessageBytes } = options;
  const current = typeof engineAddress === 'string' ? () => engineAddress : engineAddress;
  const engine = new EngineConnection(current, maxMessageBytes);
  const { atOnce = { calls: 1_000, bytes: 8 * maxMessageBytes } } = options;
  const underWay = new CallsUnderWay(atOnce);
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    ...silentPeers,
    interceptors: modelAdmission(options.gate),
  });
  for (const service of Object.values(loadProtocol()) as ServiceDefinition[]) {
    const handlers = forwarders(service, engine, whyDown, underWay, options);
    const { ModelInfer: infer } = handlers as { readonly ModelInfer?: handleUnaryCall<Buffer, Buffer> };
    if (infer !== undefined) {
      const traced = tracedInference(options.tracer ?? noTracer, infer);
      const { peers } = options;
      handlers['ModelInfer'] = peers === undefined ? traced : peerInference(peers, underWay, traced);
    }
    server.addService(opaque(service), handlers);
  }
  for (const { definition, handlers } of options.others ?? []) server.addService(definition, handlers);
  const port = await bindServer(
    server,
    addressOf(bind, options.port),
    grpcServerCredentials(options.tls ?? null),
    options.portKey,
  );
  const close = (): Promise<void> => {
    server.forceShutdown();
    engine.close();
    return Promise.resolve();
  };
  return { port, close };
}
