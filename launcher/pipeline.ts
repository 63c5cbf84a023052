import { join } from 'node:path';
import { RoundhouseError } from '#schemas/errors';
import { startBroker, type EmbeddedServer } from './broker';
import { loopback, requireFreePorts } from './ports';
import { childrenOf } from './process-identity';
import type { ProcessEvent, ServicePorts, SupervisedProcess } from './processes';
import { startRedis } from './redis';
import { makeRunFolder, type RunFolder } from './run-folder';
import { environmentsOf, serviceEnvironment, wantedServices, type Addresses } from './service-environment';
import { serviceProcess, wantedPorts, type ServiceKind } from './service-process';
import { requireSettings } from './service-settings';
import { Interrupted } from './stop-signal';

export interface PipelineOptions {
  /** What every process inherits. */
  readonly inheritedEnv: NodeJS.ProcessEnv;
  /** A broker and a Redis to use; without them embedded ones are started. */
  readonly kafkaBrokers?: string;
  readonly redisUrl?: string;
  readonly topicPrefix?: string;
  /** 1 each by default, of `ops` none; 0 leaves the kind out. The second of a kind is named `worker-2`, and so on. */
  readonly counts?: Partial<Record<ServiceKind, number>>;
  /** Ports of the first of each kind; any free one when absent. */
  readonly ports?: Partial<Record<ServiceKind, ServicePorts>>;
  readonly brokerPort?: number;
  readonly redisPort?: number;
  /** Added to the environment of every service, and of the services of one kind or name. */
  readonly env?: NodeJS.ProcessEnv;
  readonly serviceEnv?: Readonly<Record<string, NodeJS.ProcessEnv>>;
  /** Start services again that end by themselves (default true). */
  readonly restarts?: boolean;
  readonly readyTimeoutMs?: number;
  readonly runRoot?: string;
  /** Ends a start in progress: everything is killed and `startPipeline` rejects with its reason. */
  readonly abort?: AbortSignal;
  readonly onEvent?: (event: ProcessEvent) => void;
  /** A start failed of which there are logs; they are kept. */
  readonly onFailed?: (logs: string) => void;
}

/** The broker and the Redis that an environment names instead of embedded ones. */
export function givenServers(
  env: NodeJS.ProcessEnv,
): Pick<PipelineOptions, 'kafkaBrokers' | 'redisUrl' | 'topicPrefix'> {
  const { KAFKA_BROKERS, REDIS_URL, ROUNDHOUSE_TOPIC_PREFIX } = env;
  return {
    ...(KAFKA_BROKERS ? { kafkaBrokers: KAFKA_BROKERS } : {}),
    ...(REDIS_URL ? { redisUrl: REDIS_URL } : {}),
    ...(ROUNDHOUSE_TOPIC_PREFIX ? { topicPrefix: ROUNDHOUSE_TOPIC_PREFIX } : {}),
  };
}

export interface RunningProcess {
  readonly name: string;
  readonly pid: number | null;
  readonly ports: ServicePorts;
}

/** The whole pipeline on this machine, each part a process of its own. */
export interface Pipeline {
  readonly kafkaBrokers: string;
  readonly redisUrl: string;
  readonly topicPrefix: string;
  readonly runFolder: string;
  readonly logs: string;
  /** http://host:port of the first ingest; empty when there is none. */
  readonly ingestUrl: string;
  /** host:port of the producer's gRPC API and of the first worker's KServe endpoint. */
  readonly ingestGrpc: string;
  readonly workerGrpc: string;
  /** URLs of the first worker's KServe endpoint over HTTP, and of its metrics. */
  readonly workerHttp: string;
  readonly workerMetrics: string;
  /** http://host:port of the console; empty when there is none. */
  readonly consoleUrl: string;
  processes(): readonly RunningProcess[];
  /** Ids of the engine processes of a worker. */
  enginePids(worker?: string): number[];
  /** SIGKILL; it stays dead until `restart(name)`. Names: broker, redis, ingest, worker, worker-2, …, engine. */
  kill(name: string): Promise<void>;
  /** Resolves when it is ready again, on the same port, with the same data. */
  restart(name: string): Promise<void>;
  signal(name: string, signal: NodeJS.Signals): void;
  /** This run failed: its logs stay for some runs. */
  keepLogs(): void;
  /** Ends everything in the order of the data, and removes the data of this run. */
  stop(): Promise<void>;
}

/** How often a start says what it still waits for. */
const tellEveryMs = 5_000;

/**
 * Resolves when every part is ready. When one isn't, the others are stopped and the error says which. Settings that a
 * service would refuse are all told before anything is started.
 */
export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  requireSettings(environmentsOf(options));
  await requireFreePorts(wantedPorts(options.ports ?? {}));
  const folder = makeRunFolder(options.runRoot);
  const started: SupervisedProcess[] = [];
  const killAll = (): Promise<unknown> => Promise.all(started.map((process) => process.kill()));
  options.abort?.addEventListener('abort', killAll);
  const awaited = setInterval(() => started.forEach((process) => process.tellIfStarting()), tellEveryMs);
  try {
    const [broker, redis] = await startServers(options, folder, started);
    const addresses = {
      kafkaBrokers: options.kafkaBrokers ?? broker?.address ?? '',
      redisUrl: options.redisUrl ?? `redis://${redis?.address}`,
    };
    const services = describeServices(options, folder, addresses);
    started.push(...services);
    options.abort?.throwIfAborted();
    const [consoles, others] = [services.filter(isConsole), services.filter((each) => !isConsole(each))];
    await allOf(others.map((service) => service.start()));
    // It asks the others, at the ports that they have by now.
    await allOf(consoles.map((console) => console.start()));
    return pipelineOf(options, folder, addresses, started);
  } catch (error) {
    await killAll();
    folder.removeData();
    if (!(options.abort?.reason instanceof Interrupted)) {
      folder.keepLogs();
      options.onFailed?.(folder.logs);
    }
    options.abort?.throwIfAborted();
    throw error;
  } finally {
    clearInterval(awaited);
    options.abort?.removeEventListener('abort', killAll);
  }
}

function isConsole({ name }: SupervisedProcess): boolean {
  return /^ops(-\d+)?$/.test(name);
}

async function startServers(
  options: PipelineOptions,
  folder: RunFolder,
  started: SupervisedProcess[],
): Promise<(EmbeddedServer | null)[]> {
  const embedded = (name: string, port: number | undefined) => ({
    env: options.inheritedEnv,
    folder: join(folder.path, name),
    logFile: join(folder.logs, `${name}.log`),
    ...(port === undefined ? {} : { port }),
    onSpawn: (process: SupervisedProcess) => started.push(process),
    ...(options.abort === undefined ? {} : { abort: options.abort }),
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  });
  return allOf([
    options.kafkaBrokers ? null : startBroker(embedded('broker', options.brokerPort)),
    options.redisUrl ? null : startRedis(embedded('redis', options.redisPort)),
  ]);
}

/** Like Promise.all, but it waits for the others before it rejects, so that nothing starts afterwards. */
async function allOf<T>(work: readonly (Promise<T> | T)[]): Promise<T[]> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<T>).value);
}

/** What the console asks, unless the environment says it. */
function targetsOf(services: readonly SupervisedProcess[], scheme: string): NodeJS.ProcessEnv {
  const urls = services
    .filter((service) => !isConsole(service) && service.ports.http !== undefined)
    .map(({ name, ports }) => `${name}=${scheme}://${loopback}:${ports.http}`);
  return urls.length === 0 ? {} : { ROUNDHOUSE_OPS_TARGETS: urls.join(',') };
}

function describeServices(
  options: PipelineOptions,
  folder: RunFolder,
  addresses: Addresses,
): SupervisedProcess[] {
  const isToldTargets = Boolean(options.inheritedEnv['ROUNDHOUSE_OPS_TARGETS']);
  const services: SupervisedProcess[] = wantedServices(options).map(({ kind, name, ports }) =>
    serviceProcess({
      name,
      kind,
      logs: folder.logs,
      ports,
      env: serviceEnvironment(options, addresses, kind, name, join(folder.path, 'state')),
      ...(kind === 'ops' && !isToldTargets
        ? { envAtStart: () => targetsOf(services, schemeOf(options)) }
        : {}),
      readyTimeoutMs: options.readyTimeoutMs ?? 60_000,
      restarts: options.restarts ?? true,
      ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
    }),
  );
  return services;
}

type Processes = readonly SupervisedProcess[];

function find(processes: Processes, name: string): SupervisedProcess | undefined {
  return processes.findLast((process) => process.name === name);
}

function processNamed(processes: Processes, name: string): SupervisedProcess {
  const process = find(processes, name);
  if (process !== undefined) return process;
  const names = processes.map((known) => known.name).join(', ');
  throw new RoundhouseError('NOT_FOUND', `no process ${name}; there are ${names} and engine`);
}

/** TLS where the services are given a certificate. */
function schemeOf({ inheritedEnv, env = {}, serviceEnv = {} }: PipelineOptions): 'http' | 'https' {
  const all = { ...inheritedEnv, ...env, ...serviceEnv['ingest'] };
  return all['ROUNDHOUSE_TLS_CERT'] ? 'https' : 'http';
}

type Endpoints = Pick<
  Pipeline,
  'ingestUrl' | 'ingestGrpc' | 'workerGrpc' | 'workerHttp' | 'workerMetrics' | 'consoleUrl'
>;

function endpointsOf(processes: Processes, scheme: string): Endpoints {
  const hostPort = (port?: number): string => (port === undefined ? '' : `${loopback}:${port}`);
  const ingest = find(processes, 'ingest')?.ports;
  const url = (address: string, path = ''): string => (address === '' ? '' : `${scheme}://${address}${path}`);
  const worker = find(processes, 'worker')?.ports;
  return {
    ingestUrl: url(hostPort(ingest?.http)),
    ingestGrpc: hostPort(ingest?.grpc),
    workerGrpc: hostPort(worker?.grpc),
    workerHttp: url(hostPort(worker?.kserveHttp)),
    workerMetrics: url(hostPort(worker?.metrics), '/metrics'),
    consoleUrl: url(hostPort(find(processes, 'ops')?.ports.http)),
  };
}

function pipelineOf(
  options: PipelineOptions,
  folder: RunFolder,
  addresses: Addresses,
  processes: Processes,
): Pipeline {
  const enginePids = (worker = 'worker'): number[] =>
    childrenOf(find(processes, worker)?.pid ?? -1, join('engine', 'main.js'));
  const named = (name: string): SupervisedProcess => processNamed(processes, name);
  return {
    ...addresses,
    topicPrefix: options.topicPrefix ?? '',
    runFolder: folder.path,
    logs: folder.logs,
    ...endpointsOf(processes, schemeOf(options)),
    processes: () => processes.map(({ name, pid, ports }) => ({ name, pid, ports })),
    enginePids,
    async kill(name) {
      if (name !== 'engine') return named(name).kill();
      for (const pid of enginePids()) process.kill(pid, 'SIGKILL');
    },
    restart: async (name) => named(name).start(),
    signal: (name, signal) => named(name).signal(signal),
    keepLogs: () => folder.keepLogs(),
    stop: () => stopInOrder(processes, folder),
  };
}

/** Producers' side first, so that work in flight is finished; broker and Redis last. */
async function stopInOrder(processes: Processes, folder: RunFolder): Promise<void> {
  const isServer = ({ name }: SupervisedProcess): boolean => name === 'broker' || name === 'redis';
  for (const service of processes.filter((process) => !isServer(process))) await service.stop();
  await Promise.all(processes.filter(isServer).map((server) => server.stop()));
  folder.removeData();
}
