import type { Env } from '#lib/config';
import type { EngineClient, InferRequest, SlotLender } from '#lib/engine-client/port';
import { openAuditLog } from '#lib/audit';
import { readPeerTls, type PeerTls } from '#lib/peer-tls';
import type { ServiceContext } from '#lib/service';
import type { UcxHost } from '#native/ucx/ucx-host';
import type { WorkerConfig } from '../../config';
import type { WorkerEvents } from '../../events';
import type { Engines } from '../../placement/engine-set';
import type { LocalEngines, PlacedWork } from '../../placement/placement';
import { serveInferenceProtocol } from '../../protocol/serve-inference-protocol';
import { peerProtocol } from './handshake-protocol';
import { openUcx } from './open-ucx';
import type { PeerService } from './peer-service';
import { handshakeHandlers } from './serve-handshake';
import { UcxServer } from './serve-ucx';
import { connectOverUcx } from './ucx-engine-client';
import { isPeerPortOpen, peerSettings, requireTlsBeyondLoopback } from './ucx-settings';

type Context = ServiceContext<WorkerConfig>;

/** At a stop, what other workers have under way here gets so long. */
const seeThroughMs = 5_000;

export interface Peers {
  /** Of the peer port; null: it is closed. */
  readonly port: number | null;
  readonly tls: PeerTls | null;
  /** Other workers' engines, over UCX where this worker has it; `grpc` goes to the same peer port. */
  connect(grpc: EngineClient, address: string): EngineClient;
}

/** Of a request that doesn't say its size, every kibibyte is as good as a candidate. */
function workOf(request: InferRequest): PlacedWork {
  const bytesIn = request.inputs.reduce((sum, { data }) => sum + data.byteLength, 0);
  const size = request.size || Math.max(1, bytesIn / 1_024);
  return { request, size, bytesIn, bytesOut: bytesIn, failedOn: new Set() };
}

/** A slot is lent by the engine that is asked first; to another one its bytes are copied. */
export function serviceOf(engines: Engines, placement: LocalEngines): PeerService {
  return {
    lease: (bytes) => (engines.current() as (EngineClient & Partial<SlotLender>) | null)?.lease?.(bytes),
    infer: (request, until, signal) => placement.infer(workOf(request), until, signal),
    load: () => placement.load(),
  };
}

function connectWith(
  host: UcxHost | null,
  tls: PeerTls | null,
  { ucxNetworks: networks, engineMaxMessageBytes: maxAnswerBytes }: WorkerConfig,
  events: WorkerEvents,
): Peers['connect'] {
  if (host === null) return (grpc) => grpc;
  return (grpc, address) => connectOverUcx({ grpc, host, address, tls, networks, maxAnswerBytes, events });
}

/** The port for other workers and UCX beside it. Rejects with CONFIG_INVALID. */
export async function startPeers(
  context: Context,
  engines: Engines,
  service: PeerService,
  events: WorkerEvents,
  env: Env,
): Promise<Peers> {
  const { config, onStop, logger } = context;
  const { bindHost: bind, engineMaxMessageBytes: maxMessageBytes } = config;
  requireTlsBeyondLoopback(config, bind);
  const tls = readPeerTls(config);
  if (!isPeerPortOpen(config)) return { port: null, tls, connect: connectWith(null, tls, config, events) };
  const server = new UcxServer({
    networks: config.ucxNetworks,
    service,
    maxMessageBytes,
    mostKeptBytes: config.dataPlanePoolBytes / 8,
    host: '',
    events,
  });
  const { host, whyNone } = await openUcx(config, bind, server.onRequest, env);
  if (host === null) logger.warn({ event: 'UcxAbsent', reason: whyNone });
  else onStop('UCX', () => host.close());
  const side = host === null ? { whyNone } : server.serveOn(host);
  const audit = openAuditLog({ auditFile: config.auditFile, service: 'inference-worker', logger });
  onStop('audit log of peers', () => audit.close());
  const protocol = await serveInferenceProtocol({
    bind,
    port: config.peerPort,
    portKey: peerSettings.peerPort.key,
    engineAddress: () => engines.address(),
    whyDown: () => engines.whyDown(),
    maxMessageBytes,
    models: engines.models,
    peers: service,
    tls,
    audit,
    // A certificate of the workers' authority is asked of each.
    gate: null,
    others: [{ definition: peerProtocol(), handlers: handshakeHandlers(() => side) }],
  });
  onStop('peer port', () => protocol.close());
  onStop('requests of peers', () => server.leave(seeThroughMs));
  return { port: protocol.port, tls, connect: connectWith(host, tls, config, events) };
}
