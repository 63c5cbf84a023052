import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { configError } from '#lib/config';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import type { PeerTls } from '#lib/peer-tls';
import { closeRedis, createRedis } from '#lib/redis';
import { redisAccess } from '#lib/redis-security';
import type { ServiceContext } from '#lib/service';
import { Router } from '#policy/balancing/router';
import type { WorkerConfig } from '../config';
import type { WorkerEvents } from '../events';
import type { LocalEngines } from '../placement/placement';
import { Announcements } from './announcements';
import { ModelCheck } from './model-check';
import { bracketed, isWildcard, OwnAddress } from './own-address';
import { RemoteEngine } from './remote-engine';
import type { RemoteEntry } from './remote-entry';
import { RemoteFile } from './remote-file';
import { RemoteSet } from './remote-set';
import { requireReachable } from './require-reachable';
import { RoutedEngines, type HandOver } from './routed-engines';

type Context = ServiceContext<WorkerConfig>;

export interface RemotesParts {
  readonly local: LocalEngines;
  readonly handOver: HandOver;
  readonly tls: PeerTls | null;
  /** Another way than gRPC to the same worker, where there is one. */
  readonly connect: (grpc: EngineClient, address: string) => EngineClient;
}

export interface Remotes {
  readonly placement: RoutedEngines;
  /** Resolves as soon as one of them takes work. */
  untilUsable(): Promise<void>;
  /** The ports that this worker has got. */
  servesOn(ports: readonly number[]): void;
  /** Others are told of this worker until it stops. `port`: where they reach it. */
  announce(port: number): Promise<void>;
}

const controlTimeoutMs = 1_000;

function connectTo(
  entry: RemoteEntry,
  { engineMaxMessageBytes: maxMessageBytes }: WorkerConfig,
  { tls, connect }: RemotesParts,
): RemoteEngine {
  const { address, kind } = entry;
  const isWorker = kind === 'worker';
  const options = { address, maxMessageBytes, controlTimeoutMs };
  const grpc = connectEngine(isWorker ? { ...options, tls, asPeer: true } : options);
  const models = new ModelCheck((model, version) => grpc.contentHash(model, version));
  return new RemoteEngine(entry, isWorker ? connect(grpc, address) : grpc, models, () => grpc.whySilent());
}

/** Throws CONFIG_INVALID where others could not know where this worker is. */
function announcedAddress({ announcedAddress: address, bindHost }: WorkerConfig, port: number): string {
  if (address !== '') return address;
  if (!isWildcard(bindHost)) return `${bracketed(bindHost)}:${port}`;
  const limit = `host:port, since ROUNDHOUSE_BIND_HOST is ${bindHost}`;
  throw configError([{ path: 'ROUNDHOUSE_ANNOUNCED_ADDRESS', value: '', limit }]);
}

/** Resolves when Redis is there, or the first try to reach it has failed. */
async function overRedis(context: Context, events: WorkerEvents, remotes: RemoteSet): Promise<Announcements> {
  const { config, logger, onStop } = context;
  const { topicPrefix: prefix, remoteLeaseMs: leaseMs } = config;
  const redis = createRedis({
    ...redisAccess(config),
    name: 'worker-engines',
    logger,
    redis: { enableOfflineQueue: false },
  });
  const announcements = new Announcements({
    redis,
    prefix,
    leaseMs,
    onEntries: (entries) => remotes.replace(entries),
    onUnreadable: (reason) => events.RemotesUnreadable({ source: 'redis', reason }),
    onFailed: (reason) => events.AnnouncementFailed({ reason }),
  });
  onStop('announcements', async () => {
    await announcements.close();
    await closeRedis(redis);
  });
  await redis.connect().catch(() => undefined);
  return announcements;
}

function overFile(path: string, { onStop }: Context, events: WorkerEvents, remotes: RemoteSet): void {
  const file = new RemoteFile({
    path,
    onEntries: (entries) => remotes.replace(entries),
    onFault: (reason) => events.RemotesUnreadable({ source: path, reason }),
  });
  onStop('list of remotes', () => file.close());
}

/** Routes shards to the engines of others as well; null where none are configured. Rejects with CONFIG_INVALID. */
export async function startRemotes(
  context: Context,
  parts: RemotesParts,
  events: WorkerEvents,
): Promise<Remotes | null> {
  const { config, onStop } = context;
  const source = config.remoteEngines;
  if (source.kind === 'none') return null;
  if (source.kind === 'redis') {
    announcedAddress(config, 1);
    requireReachable(config);
  }
  const router = new Router(Math.random);
  const connect = (entry: RemoteEntry) => connectTo(entry, config, parts);
  const own = new OwnAddress(config.bindHost, config.announcedAddress, [config.grpcPort, config.peerPort]);
  const remotes = new RemoteSet({ router, connect, events, isOwn: (address) => own.is(address) });
  onStop('remote engines', () => remotes.close());
  const { local, handOver } = parts;
  const placement = new RoutedEngines({ local, handOver, router, remotes, events });
  const announcements = source.kind === 'redis' ? await overRedis(context, events, remotes) : null;
  if (source.kind === 'file') overFile(source.path, context, events, remotes);
  await announcements?.start();
  return {
    placement,
    untilUsable: () => usable(remotes),
    servesOn(ports) {
      own.servesOn(ports);
      remotes.lookAgain();
    },
    async announce(port) {
      if (announcements === null) return;
      const id = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`.replace(/[^\w.:-]/g, '-');
      await announcements.announce({ id, address: announcedAddress(config, port) });
      onStop('announcement', () => announcements.withdraw());
    },
  };
}

function usable(remotes: RemoteSet): Promise<void> {
  if (remotes.usableCount > 0) return Promise.resolve();
  return new Promise((resolve) => remotes.onChange(() => remotes.usableCount > 0 && resolve()));
}
