import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import type { WindowedConsumer } from '#lib/bus/port';
import type { Env } from '#lib/config';
import { startHealthServer, type ReadinessChecks } from '#lib/health';
import type { ServiceContext, ServicePorts } from '#lib/service';
import { isBeyondLoopback } from '#lib/open-to-others';
import { watchClock } from '#lib/watch-clock';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { topicsOf } from '#schemas/topics';
import { workerSettings, type WorkerConfig } from './config';
import { workerEvents, type WorkerEvents } from './events';
import type { Engines, EngineSet } from './placement/engine-set';
import { startEngines, type StartedEngines } from './placement/start-engines';
import { serveKserveHttp } from './protocol/http/serve-kserve-http';
import { openModelAccess, type ModelAccess } from './protocol/open-model-access';
import { serveInferenceProtocol } from './protocol/serve-inference-protocol';
import { serveMetrics } from './protocol/serve-metrics';
import { startSharing, type SharedEngines } from './remote/start-sharing';
import type { PeerService } from './remote/ucx/peer-service';
import { confinementWarning, engineReadiness, engineWarnings } from './readiness';
import { ShardConsumer } from './shard-consumer';
import { ShardIntake } from './shard-intake';
import { IncidentListing } from './status/incident-listing';
import { statusRoutes } from './status/worker-status';

type Context = ServiceContext<WorkerConfig>;

/** At a stop, shards that are in work get so long; their partitions are left to other workers before. */
const SEE_THROUGH_MS = 9_000;

async function prepareBus(
  { config, logger, signal, onStop, fail }: Context,
  events: WorkerEvents,
): Promise<Bus> {
  const { maxMessageBytes, stateFolder } = config;
  const clientId = 'roundhouse-worker';
  const bus = connectBus({ ...kafkaAccess(config), clientId, logger, maxMessageBytes, stateFolder });
  onStop('bus', () => bus.close());
  await bus.waitUntilReady(config.startupTimeoutMs, signal);
  await bus.ensureTopics(topicSpecs(topicsOf(config.topicPrefix), config));
  const measure = () => bus.measureClockSkewMs(config);
  events.ClockSkewMeasured({ skewMs: await measure() });
  onStop('clock', watchClock({ measure, events, onSkewed: fail }));
  return bus;
}

/**
 * An engine that never becomes ready is started again and again; until then the worker is alive, not ready
 * with the reason, and takes no shards, which others may have.
 */
export async function waitForEngine(engines: Engines, signal: AbortSignal): Promise<void> {
  const wake = (): void => engines.close();
  signal.addEventListener('abort', wake, { once: true });
  while (!signal.aborted && (await engines.waitUntilUp((Date.now() + 60_000) as UnixMs)) === null);
  signal.removeEventListener('abort', wake);
  if (signal.aborted) throw new RoundhouseError('SHUTTING_DOWN', 'stopped before the engine was ready');
}

export interface Started {
  engines?: EngineSet;
  intake?: ShardIntake;
}

/** `others`: what has to be ready beside the engine. */
export async function startHealth(
  { config, telemetry, onStop }: Context,
  started: Started,
  { tls, gate, whyNotFollowed }: ModelAccess,
  others: ReadinessChecks,
): Promise<number> {
  const isOpen = !tls?.clientCa && !gate.isAsked && isBeyondLoopback(config.bindHost);
  const health = await startHealthServer({
    registry: telemetry.registry,
    host: config.bindHost,
    port: config.httpPort,
    portKey: workerSettings.httpPort.key,
    checks: {
      engine: () => engineReadiness(started.engines),
      ...others,
    },
    tls,
    warnings: {
      models: () => engineWarnings(started.engines),
      confinement: () => confinementWarning(started.engines),
      accessFiles: whyNotFollowed,
      access: () => (isOpen ? 'whoever can connect may load and unload models (docs/security.md)' : null),
    },
    more: statusRoutes(() => started.engines, new IncidentListing(config.incidentFolder)),
  });
  onStop('health', () => health.close());
  return health.port;
}

type ProtocolPorts = Required<Pick<ServicePorts, 'grpc' | 'kserveHttp' | 'metrics'>>;

/** On Triton's usual ports; they stay open while engines come and go. */
export async function startProtocol(
  context: Context,
  engines: Engines,
  peers: PeerService,
  { tls, gate, audit }: ModelAccess,
): Promise<ProtocolPorts> {
  const { config, logger, telemetry, onStop } = context;
  const { bindHost: bind, kserveMaxBodyBytes: maxBodyBytes, engineMaxMessageBytes: maxMessageBytes } = config;
  const { models } = engines;
  const engine = {
    engineAddress: () => engines.address(),
    whyDown: () => engines.whyDown(),
    maxMessageBytes,
    models,
    tls,
    audit,
    gate,
  };
  const onFault = (error: Error): void => logger.error({ event: 'KserveHttpFailed', error });
  const grpc = await serveInferenceProtocol({
    bind,
    port: config.grpcPort,
    portKey: workerSettings.grpcPort.key,
    peers,
    tracer: telemetry.tracer,
    ...engine,
  });
  onStop('inference protocol', () => grpc.close());
  const http = await serveKserveHttp({
    bind,
    port: config.kserveHttpPort,
    portKey: workerSettings.kserveHttpPort.key,
    maxBodyBytes,
    onFault,
    tracer: telemetry.tracer,
    ...engine,
  });
  onStop('inference protocol over HTTP', () => http.close());
  const metrics = await serveMetrics(telemetry.registry, {
    bind,
    port: config.metricsPort,
    portKey: workerSettings.metricsPort.key,
    tls,
  });
  onStop('metrics', () => metrics.close());
  return { grpc: grpc.port, kserveHttp: http.port, metrics: metrics.port };
}

async function startShards(
  context: Context,
  bus: Bus,
  placement: SharedEngines,
  trace: StartedEngines['trace'],
  events: WorkerEvents,
): Promise<ShardIntake> {
  const { config, telemetry, onStop, fail } = context;
  const topics = topicsOf(config.topicPrefix);
  const producer = await bus.producer();
  const shards = new ShardConsumer({
    topics,
    producer,
    placement,
    ...(trace === null ? {} : { trace }),
    whyHandedOver: () => placement.whyHandedOver(),
    events,
    tracer: telemetry.tracer,
    startMarginMs: config.startMarginMs,
  });
  const consumergroup = `${config.topicPrefix}inference-worker`;
  const consumer = (): WindowedConsumer =>
    bus.windowedConsumer({
      groupId: consumergroup,
      topics: [topics.shards],
      window: config.window,
      sessionTimeoutMs: config.sessionTimeoutMs,
      handle: (message, lease) => shards.handle(message, lease),
      onAssigned: ({ length: partitions }) => events.GroupJoined({ consumergroup, partitions }),
      onFatal: fail,
    });
  const intake = new ShardIntake(consumer, fail);
  onStop('shards in work', () => intake.idle(SEE_THROUGH_MS));
  onStop('consumer', () => intake.stop());
  await intake.join();
  placement.onHandOver((reason) => (reason === null ? void intake.join() : void intake.leave()));
  if (placement.whyHandedOver() !== null) void intake.leave();
  return intake;
}

/** Starts the parts in their order; they stop in the reverse one, so shards in work find their engine. */
export async function startWorker(context: Context, env: Env): Promise<ServicePorts> {
  const events = workerEvents(context.telemetry);
  const access = openModelAccess(context, events);
  const started: Started = {};
  const kafka = () => (started.intake ? started.intake.whyNotReady() : 'not connected yet');
  const http = await startHealth(context, started, access, { kafka });
  const bus = await prepareBus(context, events);
  const local = startEngines(context, events, env);
  const { engines } = local;
  started.engines = engines;
  const sharing = await startSharing(context, local, events, env);
  const ports = await startProtocol(context, engines, sharing.peers, access);
  await Promise.race([waitForEngine(engines, context.signal), sharing.untilRemote()]);
  started.intake = await startShards(context, bus, sharing.placement, local.trace, events);
  await sharing.announce(ports.grpc);
  return { http, ...ports };
}
