import type { Env } from '#lib/config';
import type { ServiceContext } from '#lib/service';
import type { WorkerConfig } from '../config';
import type { WorkerEvents } from '../events';
import type { LocalEngines } from '../placement/placement';
import type { StartedEngines } from '../placement/start-engines';
import { tracedPeers } from '../protocol/traced-inference';
import { PeerRequests } from './peer-requests';
import type { HandOver } from './routed-engines';
import { startRemotes } from './start-remotes';
import type { PeerService } from './ucx/peer-service';
import { serviceOf, startPeers } from './ucx/start-peers';

/** Where the worker's shards go. */
export type SharedEngines = LocalEngines & HandOver;

export interface Sharing {
  readonly placement: SharedEngines;
  /** What other workers ask for. */
  readonly peers: PeerService;
  /** Resolves when a remote takes work; never where there are none. */
  untilRemote(): Promise<void>;
  /** Others are told of this worker. `grpcPort`: where they reach it if there is no port for them alone. */
  announce(grpcPort: number): Promise<void>;
}

/** At a stop, what others have under way here gets so long. */
const seeThroughMs = 5_000;

/** Our own engines alone. */
function alone({ placement, engines }: StartedEngines): SharedEngines {
  return {
    infer: (work, until, signal) => placement.infer(work, until, signal),
    expectedFinishMs: (work) => placement.expectedFinishMs(work),
    whyDown: () => placement.whyDown(),
    load: () => placement.load(),
    whyHandedOver: () => engines.whyHandedOver(),
    onHandOver: (listener) => engines.onHandOver(listener),
  };
}

/** The engines of others for our shards, and ours for theirs. Rejects with CONFIG_INVALID. */
export async function startSharing(
  context: ServiceContext<WorkerConfig>,
  local: StartedEngines,
  events: WorkerEvents,
  env: Env,
): Promise<Sharing> {
  const { engines, placement } = local;
  const { tracer } = context.telemetry;
  const peers = new PeerRequests(tracedPeers(tracer, serviceOf(engines, placement)));
  const { port, tls, connect } = await startPeers(context, engines, peers, events, env);
  const remotes = await startRemotes(context, { local: placement, handOver: engines, tls, connect }, events);
  return {
    placement: remotes?.placement ?? alone(local),
    peers,
    untilRemote: () => remotes?.untilUsable() ?? new Promise(() => undefined),
    async announce(grpcPort) {
      context.onStop('requests of other workers', () => peers.leave(seeThroughMs));
      remotes?.servesOn([grpcPort, ...(port === null ? [] : [port])]);
      await remotes?.announce(port ?? grpcPort);
    },
  };
}
