import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { pino } from 'pino';
import type { EngineClient } from '#lib/engine-client/port';
import type { PeerTls } from '#lib/peer-tls';
import type { ServiceContext } from '#lib/service';
import { createTelemetry } from '#lib/telemetry';
import type { ShardIndex, UnixMs } from '#schemas/brands';
import type { Shard } from '#schemas/domain';
import { loadWorkerConfig, type WorkerConfig } from '#services/inference-worker/config';
import { workerEvents, type WorkerEvents } from '#services/inference-worker/events';
import type { LocalEngines } from '#services/inference-worker/placement/placement';
import { NoEngineInTime } from '#services/inference-worker/placement/placement';
import { startRemotes, type Remotes } from '#services/inference-worker/remote/start-remotes';
import { Suspects } from '#services/inference-worker/sentinel/suspects';
import { solveShard } from '#services/inference-worker/solve-shard';
import { mainFileOf } from '../support/run-service';
import { killedWithFile } from '../support/closed-with-file';

const freePorts = {
  ROUNDHOUSE_WORKER_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_GRPC_PORT: '0',
  ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_METRICS_PORT: '0',
};

export interface OtherWorker {
  readonly process: ChildProcess;
  readonly ports: Record<'http' | 'grpc' | 'kserveHttp' | 'metrics', number>;
  readonly address: string;
  kill(): Promise<void>;
}

/** A worker with an engine that takes no shards of its own. */
export async function startOtherWorker(env: Readonly<Record<string, string>>): Promise<OtherWorker> {
  const child = spawn(process.execPath, [mainFileOf('inference-worker/serve-models')], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: process.env['PATH'], ROUNDHOUSE_LOG_LEVEL: 'silent', ...freePorts, ...env },
  });
  killedWithFile(child);
  const ended = once(child, 'exit');
  const ports = await new Promise<OtherWorker['ports']>((resolve, reject) => {
    child.on('message', (message: { type: string; ports: OtherWorker['ports'] }) => {
      if (message.type === 'ready') resolve(message.ports);
    });
    void ended.then(([code]) => reject(new Error(`the other worker ended with ${code}`)));
  });
  return {
    process: child,
    ports,
    address: `127.0.0.1:${ports.grpc}`,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface SeenEvent {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RemoteBench {
  readonly remotes: Remotes;
  readonly seen: SeenEvent[];
  /** Resolves when there has been one like this, since the last call. */
  untilSeen(name: string, fields?: Readonly<Record<string, unknown>>): Promise<void>;
  solve(shard: Shard, index: number, ms?: number): ReturnType<typeof solveShard>;
  stop(): Promise<void>;
}

/** That all were solved; where not, with what was seen. */
export function expectSolved(
  outcomes: readonly Awaited<ReturnType<typeof solveShard>>[],
  { seen }: RemoteBench,
): void {
  const others = outcomes.filter((solved) => solved?.outcome.status !== 'solved');
  const shown = others.map((solved) => `${solved?.outcome.status}: ${solved?.fault?.message}`);
  expect({ shown, seen: others.length > 0 ? seen : [] }).toEqual({ shown: [], seen: [] });
}

/** Our own engines are away: whatever is solved is solved elsewhere. */
const noneHere: LocalEngines & { onHandOver(): void } = {
  infer: () => Promise.reject(new NoEngineInTime('none here')),
  expectedFinishMs: () => null,
  whyDown: () => 'none here',
  whyHandedOver: () => null,
  onHandOver: () => undefined,
  load: () => ({ waiting: 0, inFlight: 0, expectedWaitMs: 0, devices: [], at: Date.now() as UnixMs }),
};

const telemetry = createTelemetry({ service: 'remote-test', logLevel: 'silent' });
const metrics = workerEvents(telemetry);

function recording(tell: (event: SeenEvent) => void): WorkerEvents {
  const entries = Object.keys(metrics).map((name) => [
    name,
    (fields: SeenEvent['fields']) => tell({ name, fields }),
  ]);
  return Object.fromEntries(entries) as WorkerEvents;
}

/** What a worker without an engine of its own makes of the engines of others. */
export async function startRemoteBench(
  env: Readonly<Record<string, string>>,
  connectWith?: (events: WorkerEvents) => (grpc: EngineClient, address: string) => EngineClient,
  tls: PeerTls | null = null,
): Promise<RemoteBench> {
  const seen: SeenEvent[] = [];
  let waiting: () => void = () => undefined;
  const events = recording((event) => (seen.push(event), waiting()));
  const closers: (() => unknown)[] = [];
  const context = {
    config: loadWorkerConfig(env),
    logger: pino({ level: 'silent' }),
    onStop: (_name: string, close: () => unknown) => void closers.push(close),
  } as unknown as ServiceContext<WorkerConfig>;
  const connect = connectWith?.(events) ?? ((grpc: EngineClient) => grpc);
  const parts = { local: noneHere, handOver: noneHere, tls, connect };
  const remotes = (await startRemotes(context, parts, events))!;
  const suspects = new Suspects();
  let from = 0;
  return {
    remotes,
    seen,
    async untilSeen(name, fields = {}) {
      const isIt = (event: SeenEvent): boolean =>
        event.name === name && Object.entries(fields).every(([key, value]) => event.fields[key] === value);
      for (;;) {
        const at = seen.slice(from).findIndex(isIt);
        if (at >= 0) return void (from += at + 1);
        await new Promise<void>((resolve) => (waiting = resolve));
      }
    },
    solve(shard, index, ms = 20_000) {
      const deadline = (Date.now() + ms) as UnixMs;
      const nothing = (): void => undefined;
      const options = { suspects, startMarginMs: 0, onResent: nothing, onGivenUp: nothing };
      const wanted = { ...shard, shardIndex: index as ShardIndex, deadline };
      return solveShard(wanted, { placement: remotes.placement, ...options });
    },
    async stop() {
      for (const close of closers.reverse()) await close();
    },
  };
}
