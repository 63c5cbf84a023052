import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { closeRedis, createRedis, waitForRedis, type Redis } from '#lib/redis';
import { redisAccess } from '#lib/redis-security';
import { isBeyondLoopback } from '#lib/open-to-others';
import { readServerTls, type ServerTls } from '#lib/server-tls';
import type { ServiceContext, ServicePorts } from '#lib/service';
import { TravelMatrices } from '#lib/travel-matrices';
import { watchClock } from '#lib/watch-clock';
import { openAuditLog } from '#lib/audit';
import { topicsOf } from '#schemas/topics';
import { Credentials } from '#lib/access/credentials';
import { AccessGate } from '#lib/access/gate';
import { TenantLimits } from './access/tenant-limits';
import { ingestSettings, type IngestConfig } from './config';
import { DecisionCache } from './consume/decision-cache';
import { followDecisions } from './consume/decision-feed';
import { RoundCutter } from './cut/round-cutter';
import { BodyBudget } from './read/body-budget';
import { ingestEvents, type IngestEvents } from './events';
import { GrpcApi } from './grpc/server';
import { HttpApi } from './http/api';
import { FollowedModels } from './labels/followed-models';
import { LeadNeed } from './lead/lead-need';
import { acceptObservations } from './observation-intake';
import { ingestChecks } from './readiness';
import { RoundIntake, type IntakeParts } from './round-intake';
import { failFast, RoundClaims } from './store/round-claims';
import { TenantQuota } from './store/tenant-quota';

type Context = ServiceContext<IngestConfig>;

interface Connections {
  readonly redis: Redis;
  readonly bus: Bus;
}

/** Starts the parts in their order; they stop in the reverse one. */
export async function startIngest(context: Context): Promise<ServicePorts> {
  const events = ingestEvents(context.telemetry);
  const access = openAccess(context, events);
  const models = new FollowedModels(context.config.modelsDir, events);
  const matrices = new TravelMatrices(context.config.modelsDir);
  const connections = await connect(context, events);
  const lead = new LeadNeed(context.config.minLeadMs);
  watchLead(context, lead);
  const cache = await startDecisionFeed(context, connections, events, lead);
  const limits = limitsOf(context, connections, access, events);
  const parts = await intakeParts(context, connections, { events, models, matrices, lead, limits });
  const intake = new RoundIntake(parts);
  context.onStop('intake', () => intake.stop());
  return startApis(context, connections, { parts, intake, cache, models, access, limits });
}

async function connect(
  { config, logger, signal, onStop, fail }: Context,
  events: IngestEvents,
): Promise<Connections> {
  const { maxMessageBytes, startupTimeoutMs: timeoutMs, redisUrl: url } = config;
  const redis = createRedis({ ...redisAccess(config), name: 'ingest', logger, redis: failFast });
  onStop('redis', () => closeRedis(redis));
  const bus = connectBus({ ...kafkaAccess(config), clientId: 'roundhouse-ingest', logger, maxMessageBytes });
  onStop('bus', () => bus.close());
  await waitForRedis(redis, { url, timeoutMs, logger, signal });
  await bus.waitUntilReady(timeoutMs, signal);
  const measure = () => bus.measureClockSkewMs(config);
  events.ClockSkewMeasured({ skewMs: await measure() });
  onStop('clock', watchClock({ measure, events, onSkewed: fail }));
  await bus.ensureTopics(topicSpecs(topicsOf(config.topicPrefix), config));
  return { redis, bus };
}

function limitsOf(
  { config, telemetry: { registry } }: Context,
  { redis }: Connections,
  { credentials }: Access,
  events: IngestEvents,
): TenantLimits {
  const quotas = new TenantQuota(redis, config.topicPrefix);
  return new TenantLimits({ quotas, credentials, config, events, registry });
}

function watchLead({ telemetry }: Context, lead: LeadNeed): void {
  telemetry.registry.observed(
    'dispatch_round_needed_lead_seconds',
    'Rounds with less time than this to their deadline are refused at present.',
    () => lead.neededMs('shards') / 1_000,
  );
}

async function startDecisionFeed(
  { config, onStop }: Context,
  { bus }: Connections,
  events: IngestEvents,
  lead: LeadNeed,
): Promise<DecisionCache> {
  const { decisionTtlMs: ttlMs, decisionCacheBytes: maxBytes } = config;
  const cache = new DecisionCache({ ttlMs, maxBytes });
  const { decisions } = topicsOf(config.topicPrefix);
  const follower = await followDecisions(bus, decisions, ttlMs, { cache, events, lead });
  onStop('decision feed', () => follower.close());
  return cache;
}

interface IntakeSources {
  readonly events: IngestEvents;
  readonly models: FollowedModels;
  readonly matrices: TravelMatrices;
  readonly lead: LeadNeed;
  readonly limits: TenantLimits;
}

async function intakeParts(
  { config, telemetry, onStop }: Context,
  { redis, bus }: Connections,
  { events, models, matrices, lead, limits: tenants }: IntakeSources,
): Promise<IntakeParts> {
  const producer = await bus.producer({ deliveryTimeoutMs: config.publishTimeoutMs });
  const claims = new RoundClaims(redis, config.topicPrefix, config.claimTtlMs);
  const cutter = new RoundCutter(config.modelsDir, matrices, config.maxCandidates);
  onStop('cutter', () => cutter.stop());
  cutter.warmUp();
  models.start();
  onStop('labels', () => models.stop());
  const limits = {
    ...config,
    matrixOf: (hash: string) => matrices.find(hash),
    get modelLabels() {
      return models.labels;
    },
  };
  const { candidatesPerShard, shardsPerRound, maxShardBytes, maxCandidates, maxMessageBytes } = config;
  const cut = { candidatesPerShard, shardsPerRound, maxShardBytes, maxCandidates };
  const topics = topicsOf(config.topicPrefix);
  const { tracer } = telemetry;
  return {
    ...{ producer, topics, claims, models, cutter, events, tracer, limits, lead, cut, maxMessageBytes },
    owe: tenants.owe.bind(tenants),
  };
}

interface ApiParts {
  readonly parts: IntakeParts;
  readonly intake: RoundIntake;
  readonly cache: DecisionCache;
  readonly models: FollowedModels;
  readonly access: Access;
  readonly limits: TenantLimits;
}

interface Access {
  readonly tls: ServerTls | null;
  readonly credentials: Credentials;
  readonly gate: AccessGate;
}

/** First of all, since a file that can't be used is a fault of the configuration. */
function openAccess({ config, logger, onStop }: Context, events: IngestEvents): Access {
  const tls = readServerTls(config);
  const audit = openAuditLog({ auditFile: config.auditFile, service: 'ingest', logger });
  onStop('audit log', () => audit.close());
  const credentials = new Credentials('INGEST', config, events, audit);
  onStop('credentials', () => credentials.close());
  return { tls, credentials, gate: new AccessGate({ credentials, events, audit, now: Date.now }) };
}

/** Last of all: what comes in from here on has everything that it needs. */
async function startApis(
  { config, telemetry, onStop }: Context,
  { bus }: Connections,
  { parts, intake, cache, models, access, limits }: ApiParts,
): Promise<ServicePorts> {
  const { claims, events } = parts;
  const checks = ingestChecks(bus, claims);
  const { tls, credentials, gate } = access;
  const { streams, waits } = limits;
  const takeQuota = limits.take.bind(limits);
  const shared = {
    ...config,
    host: config.bindHost,
    intake,
    cache,
    claims,
    events,
    tls,
    gate,
    takeQuota,
    streams,
    waits,
    bodies: BodyBudget.ofBodies(config.maxBodyBytes, (bytesInWork) => events.BodyRefused({ bytesInWork })),
  };
  const grpc = new GrpcApi({
    ...shared,
    port: config.grpcPort,
    portKey: ingestSettings.grpcPort.key,
    checks,
  });
  onStop('grpc', () => grpc.stop());
  const isOpen =
    !credentials.areAsked && (tls === null || tls.clientCa === null) && isBeyondLoopback(config.bindHost);
  const warnings = {
    models: () => models.whyNotFollowed(),
    accessFiles: () => credentials.whyNotFollowed(),
    access: () => (isOpen ? 'whoever can connect may send rounds as any tenant (docs/security.md)' : null),
  };
  const http = new HttpApi({
    ...shared,
    port: config.httpPort,
    portKey: ingestSettings.httpPort.key,
    health: { registry: telemetry.registry, checks, warnings },
    observe: (body, tenant) => acceptObservations(body, tenant, parts),
  });
  onStop('http', () => http.stop());
  return { grpc: await grpc.listen(), http: await http.listen() };
}
