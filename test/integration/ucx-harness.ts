import { existsSync } from 'node:fs';
import { Server, type handleUnaryCall } from '@grpc/grpc-js';
import { connectEngine } from '#lib/engine-client/grpc';
import { statusOf } from '#lib/engine-client/grpc-errors';
import { encodeInferResponse } from '#lib/engine-client/infer-messages';
import type { EngineClient, InferRequest } from '#lib/engine-client/port';
import { bindServer } from '#lib/grpc-bind';
import type { PeerTls } from '#lib/peer-tls';
import { grpcServerCredentials } from '#lib/grpc-server-credentials';
import { UcxHost, type UcxHostOptions } from '#native/ucx/ucx-host';
import { ucxLibrary } from '#native/ucx/ucx-library';
import type { UnixMs } from '#schemas/brands';
import type { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { peerProtocol } from '#services/inference-worker/remote/ucx/handshake-protocol';
import { networksOf } from '#services/inference-worker/remote/ucx/networks';
import type { PeerService } from '#services/inference-worker/remote/ucx/peer-service';
import { handshakeHandlers, type HandshakeSide } from '#services/inference-worker/remote/ucx/serve-handshake';
import { UcxServer, type UcxServerOptions } from '#services/inference-worker/remote/ucx/serve-ucx';
import {
  connectOverUcx,
  type UcxEngineOptions,
} from '#services/inference-worker/remote/ucx/ucx-engine-client';
import { ucxEvents, type UcxEvents } from '#services/inference-worker/remote/ucx/ucx-events';
import { modelInfer, readInfer } from '../../bench/remote/model-infer';

export const library = ucxLibrary(projectPath('.roundhouse', 'toolchain'));

/** null where UCX is there: set-up fetches it, and builds the addon then. */
export const whyNoUcx = existsSync(projectPath('build', 'native', 'ucx.node'))
  ? existsSync(library)
    ? null
    : 'npm run setup -- ucx has not been run'
  : 'the addon was built without the headers of UCX';

export const describeUcx: typeof describe.skip = whyNoUcx === null ? describe : describe.skip;
if (whyNoUcx !== null) console.warn(`tests of UCX are skipped: ${whyNoUcx}`);

export type Told = { readonly event: keyof UcxEvents } & Readonly<Record<string, unknown>>;

/** The events as they come. */
export class Recorder {
  readonly told: Told[] = [];
  readonly events = Object.fromEntries(
    Object.keys(ucxEvents).map((event) => [
      event,
      (fields: object) => this.told.push({ event, ...fields } as Told),
    ]),
  ) as unknown as UcxEvents;

  of(event: keyof UcxEvents): Told[] {
    return this.told.filter((one) => one.event === event);
  }
  /** Of every refusal, "reason". */
  get refusals(): unknown[] {
    return this.of('UcxPeerRefused').map(({ reason }) => reason);
  }
}

export const echo: PeerService = {
  load: () => ({ waiting: 3 }),
  infer: async ({ model, version, inputs }) => ({
    response: { model, version, outputs: inputs },
    deviceKind: 'cpu',
  }),
};

/** The same service over gRPC. */
function overGrpc(service: PeerService): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const request = readInfer(call.request);
    const { model, version, requestId: id } = request;
    const deadline = Number(call.getDeadline()) as UnixMs;
    service.infer(request, deadline, new AbortController().signal).then(
      ({ response: { outputs } }) =>
        callback(null, encodeInferResponse({ model, version, id, tensors: outputs })),
      (error: RoundhouseError) => callback(statusOf(error)),
    );
  };
}

export const loopback = networksOf(['127.0.0.0/8'])!;

export const tcp = { library, transports: 'tcp', devices: 'lo' } as const;

export interface PeerOptions extends Partial<Omit<UcxServerOptions, 'service' | 'networks' | 'events'>> {
  readonly service?: PeerService;
  readonly networks?: readonly string[];
  readonly tls?: PeerTls | null;
  readonly host?: string;
  /** What it says of itself at the handshake. */
  readonly offer?: Partial<HandshakeSide['offer']>;
}

/** Another worker, in this process. */
export class Peer {
  readonly recorder = new Recorder();
  readonly server: UcxServer;
  side!: HandshakeSide;
  address = '';
  private readonly grpc = new Server({ 'grpc.max_receive_message_length': 67_108_864 });
  private ucx!: UcxHost;

  private constructor(options: PeerOptions) {
    const { service = echo, networks = ['127.0.0.0/8'], maxMessageBytes = 16_777_216 } = options;
    this.server = new UcxServer({
      ...options,
      service,
      networks: networksOf(networks)!,
      maxMessageBytes,
      host: '',
      events: this.recorder.events,
    });
    const handlers = handshakeHandlers(() => ({
      ...this.side,
      offer: { ...this.side.offer, ...options.offer },
    }));
    this.grpc.addService(peerProtocol(), handlers);
    this.grpc.addService({ ModelInfer: modelInfer }, { ModelInfer: overGrpc(service) });
  }

  static async start(options: PeerOptions = {}): Promise<Peer> {
    const peer = new Peer(options);
    peer.openUcx();
    const port = await bindServer(peer.grpc, '127.0.0.1:0', grpcServerCredentials(options.tls ?? null));
    peer.address = `127.0.0.1:${port}`;
    peers.push(peer);
    return peer;
  }

  /** Again after `breakUcx`: another port. */
  openUcx(): void {
    this.ucx = openHost({ listen: { host: '127.0.0.1', port: 0 }, onRequest: this.server.onRequest });
    this.side = this.server.serveOn(this.ucx);
  }
  /** All connections end without a word. */
  breakUcx(): void {
    this.ucx.close();
  }
  close(): void {
    this.grpc.forceShutdown();
    this.ucx.close();
  }
}

const hosts: UcxHost[] = [];
const peers: Peer[] = [];

export function openHost(options: Partial<UcxHostOptions> = {}): UcxHost {
  const host = new UcxHost({ ...tcp, ...options });
  hosts.push(host);
  return host;
}

/** Also those that a failed test left open: an open server would keep jest from ending. */
export function closeHosts(): void {
  for (const peer of peers.splice(0)) peer.close();
  for (const host of hosts.splice(0)) host.close();
}

export const soon = { firstMs: 20, lastMs: 100, refusedMs: 100 } as const;

export interface Asking {
  readonly client: EngineClient;
  readonly recorder: Recorder;
}

/** A client of a peer; `whenOpen` of its recorder tells when UCX stands. */
export function ask(address: string, options: Partial<UcxEngineOptions> = {}): Asking {
  const recorder = new Recorder();
  const { tls = null, host = openHost(), networks = loopback } = options;
  const grpc = connectEngine({ address, tls, maxMessageBytes: 67_108_864 });
  const { events } = recorder;
  const client = connectOverUcx({ pauses: soon, ...options, grpc, address, host, tls, networks, events });
  return { client, recorder };
}

export const inSeconds = (seconds: number): UnixMs => (Date.now() + seconds * 1_000) as UnixMs;

export function requestOf(...data: Buffer[]): InferRequest {
  const inputs = data.map((bytes, i) => {
    return { name: `IN${i}`, datatype: 'UINT8' as const, shape: [1, bytes.length], data: bytes };
  });
  return { model: 'echo', version: '', requestId: 'test', inputs };
}
