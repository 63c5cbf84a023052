/**
 * What another worker is to a peer, without Kafka: an engine with a model that copies its input to its output, the
 * inference protocol and the handshake over gRPC, and UCX. Its argument is ServingSettings as JSON; it sends
 * { ports } when it is ready. On the message "break" its UCX ends and begins again, on
 * "collect" it collects its garbage.
 */
import { Server, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { encodeInferResponse } from '#lib/engine-client/infer-messages';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient, InferRequest, SlotLender } from '#lib/engine-client/port';
import { bindServer } from '#lib/grpc-bind';
import { createTelemetry } from '#lib/telemetry';
import type { UnixMs } from '#schemas/brands';
import type { NamedTensor } from '#schemas/domain';
import { connectOverShm } from '#services/inference-worker/data-plane/shm-engine-client';
import { workerEvents, type WorkerEvents } from '#services/inference-worker/events';
import { serveInferenceProtocol } from '#services/inference-worker/protocol/serve-inference-protocol';
import { peerProtocol } from '#services/inference-worker/remote/ucx/handshake-protocol';
import { networksOf } from '#services/inference-worker/remote/ucx/networks';
import type { PeerService } from '#services/inference-worker/remote/ucx/peer-service';
import { handshakeHandlers, type HandshakeSide } from '#services/inference-worker/remote/ucx/serve-handshake';
import { UcxServer } from '#services/inference-worker/remote/ucx/serve-ucx';
import { UcxHost } from '#native/ucx/ucx-host';
import { modelInfer, readInfer } from './model-infer';

export interface ServingSettings {
  readonly address: string;
  readonly library: string;
  readonly transports: string;
  /** Of the engine; none: only "transfer". */
  readonly engineSocket?: string;
}

export interface ServingPorts {
  /** The inference protocol before an engine, and the handshake. */
  readonly engine: number;
  /** ModelInfer that sends back what it got. */
  readonly transfer: number;
}

/** The model's name says that the worker itself is to answer. */
export const transferModel = 'transfer';

const maxMessageBytes = 67_108_864;
const settings = JSON.parse(process.argv[2]!) as ServingSettings;
const telemetry = createTelemetry({ service: 'bench', logLevel: 'silent' });
const events: WorkerEvents = workerEvents(telemetry);

const asOutput = ({ name, datatype, shape, data }: NamedTensor): NamedTensor => {
  return { name: name === 'IN' ? 'OUT' : name, datatype, shape, data };
};

function serviceOf(engine: (EngineClient & Partial<SlotLender>) | null): PeerService {
  return {
    load: () => null,
    lease: (bytes) => engine?.lease?.(bytes),
    infer: async (request: InferRequest, until: UnixMs, signal) => {
      if (request.model !== transferModel) {
        return { response: await engine!.infer(request, until, signal), deviceKind: 'cpu' };
      }
      const { model, version, inputs } = request;
      return { response: { model, version, outputs: inputs.map(asOutput) }, deviceKind: 'cpu' };
    },
  };
}

/** The same over gRPC: the message is decoded, and its tensors go back. */
function sendBack(call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void {
  const { model, version, requestId: id, inputs } = readInfer(call.request);
  callback(null, encodeInferResponse({ model, version, id, tensors: inputs.map(asOutput) }));
}

async function serveTransfer(address: string): Promise<number> {
  const limits = {
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc-node.flow_control_window': 4 * 1_024 * 1_024,
  };
  const server = new Server(limits);
  server.addService({ ModelInfer: modelInfer }, { ModelInfer: sendBack });
  return bindServer(server, `${address}:0`);
}

async function main(): Promise<void> {
  const { address, library, transports, engineSocket } = settings;
  const at = `unix:${engineSocket ?? ''}`;
  const grpc = engineSocket === undefined ? null : connectEngine({ address: at, maxMessageBytes });
  const engine =
    grpc && connectOverShm({ address: at, grpc, events, poolBytes: 1_073_741_824, whenEmpty: 'wait' });
  const networks = networksOf([`${address}/24`])!;
  const service = serviceOf(engine);
  const server = new UcxServer({
    networks,
    service,
    maxMessageBytes,
    host: '',
    events,
  });
  const side: { now: HandshakeSide } = { now: null! };
  let host: UcxHost | null = null;
  const openUcx = (): void => {
    host?.close();
    const listen = { host: address, port: 0 };
    host = new UcxHost({ library, transports, devices: '', listen, onRequest: server.onRequest });
    side.now = server.serveOn(host);
  };
  openUcx();
  const handlers = handshakeHandlers(() => side.now);
  const protocol = await serveInferenceProtocol({
    bind: address,
    port: 0,
    engineAddress: () => (engineSocket === undefined ? null : at),
    maxMessageBytes,
    peers: service,
    audit: { record: () => undefined, close: () => undefined },
    gate: null,
    others: [{ definition: peerProtocol(), handlers }],
  });
  process.on('message', (order) => (order === 'break' ? openUcx() : globalThis.gc?.()));
  process.on('disconnect', () => process.exit(0));
  const ports: ServingPorts = { engine: protocol.port, transfer: await serveTransfer(address) };
  process.send!({ ports });
}

void main();
