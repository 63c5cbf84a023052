import {
  Server,
  status,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type MethodDefinition,
  type ServiceDefinition,
  type StatusObject,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { defaultMaxMessageBytes } from '#lib/engine-client/grpc';
import { loadProtocol } from '#lib/engine-client/protocol';
import { bindServer, grpcAddress } from '#lib/grpc-bind';
import { EngineConnection } from './engine-connection';

export interface InferenceProtocolOptions {
  readonly bind: string;
  /** 0: any free port. */
  readonly port: number;
  /** The engine's address now (`unix:…`), or null while there is none: then calls are UNAVAILABLE. */
  readonly engineAddress: string | (() => string | null);
  readonly maxMessageBytes?: number;
}

export interface InferenceProtocol {
  readonly port: number;
  close(): Promise<void>;
}

const same = (bytes: Buffer): Buffer => bytes;

/** Every method with messages left as bytes. */
function opaque(service: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(service).map(([name, method]) => [name, { ...method, ...opaqueMessages }]);
  return Object.fromEntries(methods) as ServiceDefinition;
}
const opaqueMessages = {
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
} as unknown as Partial<MethodDefinition<unknown, unknown>>;

const noEngine: Partial<StatusObject> = { code: status.UNAVAILABLE, details: 'the engine is not up' };

function forwardUnary(path: string, engine: EngineConnection): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const client = engine.get();
    if (client === null) return callback(noEngine);
    const options = { deadline: call.getDeadline() };
    const onward = client.makeUnaryRequest(
      path,
      same,
      same,
      call.request,
      call.metadata,
      options,
      (error, answer) => {
        if (error === null) callback(null, answer);
        else callback({ code: error.code, details: error.details, metadata: error.metadata });
      },
    );
    call.on('cancelled', () => onward.cancel());
  };
}

function forwardStream(path: string, engine: EngineConnection): handleServerStreamingCall<Buffer, Buffer> {
  return (call) => {
    const client = engine.get();
    if (client === null) return void call.emit('error', noEngine);
    const options = { deadline: call.getDeadline() };
    const onward = client.makeServerStreamRequest(path, same, same, call.request, call.metadata, options);
    onward.on('data', (bytes: Buffer) => call.write(bytes));
    onward.on('error', ({ code, details }: StatusObject & Error) => call.emit('error', { code, details }));
    onward.on('end', () => call.end());
    call.on('cancelled', () => onward.cancel());
  };
}

function forwarders(service: ServiceDefinition, engine: EngineConnection): UntypedServiceImplementation {
  const handlers = Object.entries(service).map(([name, { path, responseStream }]) => [
    name,
    responseStream ? forwardStream(path, engine) : forwardUnary(path, engine),
  ]);
  return Object.fromEntries(handlers) as UntypedServiceImplementation;
}

/**
 * The inference protocol on TCP: every call goes to the engine and back as the bytes that it is. Deadlines
 * and cancellations go along.
 */
export async function serveInferenceProtocol(options: InferenceProtocolOptions): Promise<InferenceProtocol> {
  const { bind, engineAddress, maxMessageBytes = defaultMaxMessageBytes } = options;
  const current = typeof engineAddress === 'string' ? () => engineAddress : engineAddress;
  const engine = new EngineConnection(current, maxMessageBytes);
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
  });
  for (const service of Object.values(loadProtocol()) as ServiceDefinition[]) {
    server.addService(opaque(service), forwarders(service, engine));
  }
  const port = await bindServer(server, grpcAddress(bind, options.port));
  const close = (): Promise<void> => {
    server.forceShutdown();
    engine.close();
    return Promise.resolve();
  };
  return { port, close };
}
