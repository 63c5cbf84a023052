import { join } from 'node:path';
import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import type { WindowedConsumer } from '#lib/bus/port';
import type { Env } from '#lib/config';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { startHealthServer, type ReadinessChecks } from '#lib/health';
import type { ServiceContext, ServicePorts } from '#lib/service';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { topicsOf } from '#schemas/topics';
import { AdmissionWatch } from './admission/admission-watch';
import type { WorkerConfig } from './config';
import { connectOverShm } from './data-plane/shm-engine-client';
import { sweepPython } from './engine/python/regions';
import { EngineLink } from './engine-link';
import { workerEvents, type WorkerEvents } from './events';
import { SingleEngine } from './placement/single-engine';
import { serveKserveHttp } from './protocol/http/serve-kserve-http';
import { serveInferenceProtocol } from './protocol/serve-inference-protocol';
import { serveMetrics } from './protocol/serve-metrics';
import { engineReadiness, engineWarnings } from './readiness';
import { circuitPolicy } from './sentinel/circuit';
import { incidentWords } from './sentinel/incident-words';
import { Sentinel } from './sentinel/sentinel';
import { ShardConsumer } from './shard-consumer';
import { ShardIntake } from './shard-intake';

type Context = ServiceContext<WorkerConfig>;

/** At a stop, shards that are in work get so long; their partitions are left to other workers before. */
const SEE_THROUGH_MS = 9_000;

async function prepareBus({ config, logger, signal, onStop }: Context, events: WorkerEvents): Promise<Bus> {
  const { brokers, maxMessageBytes, stateFolder } = config;
  const bus = connectBus({ brokers, clientId: 'roundhouse-worker', logger, maxMessageBytes, stateFolder });
  onStop('bus', () => bus.close());
  await bus.waitUntilReady(config.startupTimeoutMs, signal);
  await bus.ensureTopics(topicSpecs(topicsOf(config.topicPrefix), config));
  events.ClockSkewMeasured({ skewMs: await bus.measureClockSkewMs(config) });
  return bus;
}

type OnHangUp = (reason: string) => void;

function connectToEngine(
  address: string,
  onHangUp: OnHangUp,
  config: WorkerConfig,
  events: WorkerEvents,
): EngineClient {
  const grpc = connectEngine({ address, controlTimeoutMs: 5_000 });
  if (config.dataPlane === 'grpc') return grpc;
  const { dataPlanePoolBytes: poolBytes, dataPlaneWhenEmpty: whenEmpty } = config;
  return connectOverShm({ address, grpc, events, poolBytes, whenEmpty, onHangUp });
}

/** Incidents are told to the user of the launcher as well. */
function withIncidentsTold(events: WorkerEvents, tell: Context['tell']): WorkerEvents {
  return {
    ...events,
    IncidentReported: (facts) => {
      events.IncidentReported(facts);
      tell(incidentWords(facts));
    },
    CircuitChanged: (facts) => {
      events.CircuitChanged(facts);
      if (facts.state === 'closed') tell('an engine stays up again: its partitions are taken back');
    },
  };
}

export function startEngine(
  { config, logger, onStop, tell, fail }: Context,
  events: WorkerEvents,
  env: Env,
): EngineLink {
  const link = new EngineLink();
  const sentinel = new Sentinel({
    mainFile: join(__dirname, 'engine', 'main.js'),
    env,
    readyTimeoutMs: config.engineReadyTimeoutMs,
    standby: config.standby,
    silenceFloorMs: config.engineSilenceFloorMs,
    memoryLimitBytes: config.engineMemoryLimitBytes,
    incidentFolder: config.incidentFolder,
    circuit: circuitPolicy(config.engineCircuitPauseMs),
    logger,
    events: withIncidentsTold(events, tell),
    link,
    connect: (address, onHangUp) => connectToEngine(address, onHangUp, config, events),
    onConfigFault: (reason) => fail(new RoundhouseError('CONFIG_INVALID', `the engine: ${reason}`)),
  });
  onStop('engine', async () => {
    await sentinel.stop();
    sweepPython();
  });
  sentinel.start();
  const admission = new AdmissionWatch(link, events);
  onStop('admission metrics', () => admission.close());
  return link;
}

/**
 * An engine that never becomes ready is started again and again; until then the worker is alive, not ready
 * with the reason, and takes no shards, which others may have.
 */
export async function waitForEngine(link: EngineLink, signal: AbortSignal): Promise<void> {
  const wake = (): void => link.close();
  signal.addEventListener('abort', wake, { once: true });
  while (!signal.aborted && (await link.waitUntilUp((Date.now() + 60_000) as UnixMs)) === null);
  signal.removeEventListener('abort', wake);
  if (signal.aborted) throw new RoundhouseError('SHUTTING_DOWN', 'stopped before the engine was ready');
}

export interface Started {
  link?: EngineLink;
  intake?: ShardIntake;
}

/** `others`: what has to be ready beside the engine. */
export async function startHealth(
  { config, telemetry, onStop }: Context,
  started: Started,
  others: ReadinessChecks,
): Promise<number> {
  const health = await startHealthServer({
    registry: telemetry.registry,
    host: config.bindHost,
    port: config.httpPort,
    checks: {
      engine: () => engineReadiness(started.link),
      ...others,
    },
    warnings: { models: () => engineWarnings(started.link) },
  });
  onStop('health', () => health.close());
  return health.port;
}

type ProtocolPorts = Required<Pick<ServicePorts, 'grpc' | 'kserveHttp' | 'metrics'>>;

/** On Triton's usual ports; they stay open while engines come and go. */
export async function startProtocol(context: Context, link: EngineLink): Promise<ProtocolPorts> {
  const { config, logger, telemetry, onStop } = context;
  const { bindHost: bind, kserveMaxBodyBytes: maxBodyBytes, engineMaxMessageBytes: maxMessageBytes } = config;
  const { models } = link;
  const engine = {
    engineAddress: () => link.address(),
    whyDown: () => link.whyDown(),
    maxMessageBytes,
    models,
  };
  const onFault = (error: Error): void => logger.error({ event: 'KserveHttpFailed', error });
  const grpc = await serveInferenceProtocol({ bind, port: config.grpcPort, ...engine });
  onStop('inference protocol', () => grpc.close());
  const http = await serveKserveHttp({ bind, port: config.kserveHttpPort, maxBodyBytes, onFault, ...engine });
  onStop('inference protocol over HTTP', () => http.close());
  const metrics = await serveMetrics(telemetry.registry, { bind, port: config.metricsPort });
  onStop('metrics', () => metrics.close());
  return { grpc: grpc.port, kserveHttp: http.port, metrics: metrics.port };
}

async function startShards(
  context: Context,
  bus: Bus,
  link: EngineLink,
  events: WorkerEvents,
): Promise<ShardIntake> {
  const { config, onStop, fail } = context;
  const topics = topicsOf(config.topicPrefix);
  const producer = await bus.producer();
  const placement = new SingleEngine(link);
  const shards = new ShardConsumer({
    topics,
    producer,
    placement,
    whyHandedOver: () => placement.whyHandedOver(),
    events,
    startMarginMs: config.startMarginMs,
  });
  const consumer = (): WindowedConsumer =>
    bus.windowedConsumer({
      groupId: `${config.topicPrefix}inference-worker`,
      topics: [topics.shards],
      window: config.window,
      sessionTimeoutMs: config.sessionTimeoutMs,
      handle: (message, lease) => shards.handle(message, lease),
      onFatal: fail,
    });
  const intake = new ShardIntake(consumer, fail);
  onStop('shards in work', () => intake.idle(SEE_THROUGH_MS));
  onStop('consumer', () => intake.stop());
  await intake.join();
  link.onHandOver((reason) => (reason === null ? void intake.join() : void intake.leave()));
  if (link.whyHandedOver() !== null) void intake.leave();
  return intake;
}

/** Starts the parts in their order; they stop in the reverse one, so shards in work find their engine. */
export async function startWorker(context: Context, env: Env): Promise<ServicePorts> {
  const events = workerEvents(context.telemetry);
  const started: Started = {};
  const kafka = () => (started.intake ? started.intake.whyNotReady() : 'not connected yet');
  const http = await startHealth(context, started, { kafka });
  const bus = await prepareBus(context, events);
  const link = startEngine(context, events, env);
  started.link = link;
  const ports = await startProtocol(context, link);
  await waitForEngine(link, context.signal);
  started.intake = await startShards(context, bus, link, events);
  return { http, ...ports };
}
