import { connectBus, topicSpecs } from '#lib/bus/kafka';
import { closeRedis, createRedis, waitForRedis } from '#lib/redis';
import { runService, type ServiceContext, type ServicePorts } from '#lib/service';
import { topicsOf } from '#schemas/topics';
import { loadIngestConfig, type IngestConfig } from './config';
import { DecisionCache } from './consume/decision-cache';
import { followDecisions } from './consume/decision-feed';
import { RoundCutter } from './cut/round-cutter';
import { ingestEvents, type IngestEvents } from './events';
import { GrpcApi } from './grpc/server';
import { HttpApi } from './http/api';
import { FollowedModels } from './labels/followed-models';
import { acceptObservations } from './observation-intake';
import { ingestChecks } from './readiness';
import { RoundIntake } from './round-intake';
import { failFast, RoundClaims } from './store/round-claims';
import { TravelMatrices } from '#lib/travel-matrices';

type Context = ServiceContext<IngestConfig>;

async function connect({ config, logger, signal, onStop }: Context, events: IngestEvents) {
  const { maxMessageBytes, startupTimeoutMs: timeoutMs, redisUrl: url } = config;
  const redis = createRedis({ url, name: 'ingest', logger, redis: failFast });
  onStop('redis', () => closeRedis(redis));
  const bus = connectBus({ brokers: config.brokers, clientId: 'roundhouse-ingest', logger, maxMessageBytes });
  onStop('bus', () => bus.close());
  await waitForRedis(redis, { url, timeoutMs, logger, signal });
  await bus.waitUntilReady(timeoutMs, signal);
  events.ClockSkewMeasured({ skewMs: await bus.measureClockSkewMs(config) });
  await bus.ensureTopics(topicSpecs(topicsOf(config.topicPrefix), config));
  return { redis, bus };
}

async function start(context: Context): Promise<ServicePorts> {
  const { config, telemetry, onStop } = context;
  const events = ingestEvents(telemetry);
  const topics = topicsOf(config.topicPrefix);
  const models = new FollowedModels(config.modelsDir, events);
  const matrices = new TravelMatrices(config.modelsDir);
  const { redis, bus } = await connect(context, events);

  const producer = await bus.producer({ deliveryTimeoutMs: config.publishTimeoutMs });
  const claims = new RoundClaims(redis, config.topicPrefix, config.claimTtlMs);
  const cache = new DecisionCache({ ttlMs: config.decisionTtlMs, maxBytes: config.decisionCacheBytes });
  const follower = await followDecisions(bus, topics.decisions, config.decisionTtlMs, cache, events);
  onStop('decision feed', () => follower.close());

  const cutter = new RoundCutter(config.modelsDir, matrices);
  onStop('cutter', () => cutter.stop());
  models.start();
  onStop('labels', () => models.stop());
  const limits = {
    ...config,
    matrixOf: (hash: string) => matrices.find(hash),
    get modelLabels() {
      return models.labels;
    },
  };
  const { candidatesPerShard, maxShardBytes, maxCandidates, maxMessageBytes } = config;
  const parts = { producer, topics, claims, models, cutter, events, limits, maxMessageBytes };
  const intake = new RoundIntake({ ...parts, cut: { candidatesPerShard, maxShardBytes, maxCandidates } });
  onStop('intake', () => intake.stop());
  const checks = ingestChecks(bus, claims);
  const shared = { ...config, host: config.bindHost, intake, cache, claims, events };

  const grpc = new GrpcApi({ ...shared, port: config.grpcPort, checks });
  onStop('grpc', () => grpc.stop());
  const http = new HttpApi({
    ...shared,
    port: config.httpPort,
    health: { registry: telemetry.registry, checks, warnings: { models: () => models.whyNotFollowed() } },
    observe: (body, tenant) => acceptObservations(body, tenant, parts),
  });
  onStop('http', () => http.stop());
  return { grpc: await grpc.listen(), http: await http.listen() };
}

void runService({ name: 'ingest', loadConfig: loadIngestConfig, start });
