import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import type { BusProducer, WindowedConsumer } from '#lib/bus/port';
import { SparseLog } from '#lib/bus/sparse-log';
import { startHealthServer } from '#lib/health';
import { closeRedis, createRedis, waitForRedis, type Redis } from '#lib/redis';
import type { ServiceContext, ServicePorts } from '#lib/service';
import { TravelMatrices } from '#lib/travel-matrices';
import { topicsOf, type Topics } from '#schemas/topics';
import type { AggregatorConfig } from './config';
import { DeadLetterBox } from './consume/dead-letter-box';
import { OutcomeHandler } from './consume/outcome-handler';
import { refuseEarly } from './consume/refused-outcome';
import { RoundHandler } from './consume/round-handler';
import { RoundDecider } from './decide/round-decider';
import { aggregatorEvents, type AggregatorEvents } from './events';
import { Admission } from './join/admission';
import { BackupClose } from './join/backup-close';
import { RoundBook } from './join/round-book';
import { RoundCloser } from './join/round-closer';
import { DecisionPublisher } from './publish/decision-publisher';
import { LoopStalls } from './publish/loop-stalls';
import { OutageLog } from './publish/outage-log';
import { aggregatorChecks, waitForEvictionPolicy, watchOutages, type Watched } from './readiness';
import { JoinStore } from './store/join-store';
import { OutcomeRecovery } from './store/outcome-recovery';
import { followOutcomeNotices } from './store/outcome-notices';
import { RedisProbe } from './store/redis-probe';
import { rebuildJoin, recallDecisions } from './store/rebuild-join';
import { BackupJobs } from './timers/backup-jobs';
import { CloseBudget } from './timers/close-budget';
import { DeadlineTimers } from './timers/deadline-timers';

type Context = ServiceContext<AggregatorConfig>;

/** A send that is not taken for so long is an outage; it is tried again with the mark. */
const DELIVERY_TIMEOUT_MS = 300;
const SETTLE_MS = 5_000;
/** At a stop, other instances get the round partitions after so long, whatever is open here. */
const LEAVE_AFTER_MS = 100;
/** At a stop, rounds that are due within so long are still decided here, too: there may be no other instance. */
const SEE_THROUGH_MS = 9_000;
/** Commands wait through an outage of Redis. */
const patient = { maxRetriesPerRequest: null } as const;

interface Connections {
  readonly bus: Bus;
  readonly producer: BusProducer;
  readonly redis: Redis;
  readonly topics: Topics;
  /** Our clock minus the broker's. */
  readonly skewMs: number;
}

/** Starts the parts in their order; they stop in the reverse one. */
export async function startAggregator(context: Context): Promise<ServicePorts> {
  const events = aggregatorEvents(context.telemetry);
  const watched: Watched = {};
  const http = await startHealth(context, watched);
  const decider = startDecider(context);
  const warmUp = decider.warmUp();
  const connections = await connect(context, events, watched);
  await warmUp;
  const join = assemble(context, connections, events, decider);
  watched.probe = join.probe;
  await join.store.ready();
  await followNotices(context, join);
  const consumers = await startConsumers(context, connections, join, watched);
  join.outages.happened('aggregator', 0);
  const seen = { redis: connections.redis, probe: join.probe, ...consumers };
  const stopWatching = watchOutages(seen, join.outages, join.stalls);
  context.onStop('outage watch', stopWatching);
  return { http };
}

async function startHealth({ config, telemetry, onStop }: Context, watched: Watched): Promise<number> {
  const { bindHost: host, httpPort: port } = config;
  const checks = aggregatorChecks(watched);
  const health = await startHealthServer({ registry: telemetry.registry, host, port, checks });
  onStop('health', () => health.close());
  return health.port;
}

function openRedis({ config, logger, onStop }: Context, name: string): Redis {
  const client = createRedis({ url: config.redisUrl, name: `aggregator-${name}`, logger, redis: patient });
  onStop(`redis ${name}`, () => closeRedis(client));
  client.connect().catch(() => undefined);
  return client;
}

async function connect(context: Context, events: AggregatorEvents, watched: Watched): Promise<Connections> {
  const { config, logger, signal, onStop } = context;
  const { brokers, maxMessageBytes, stateFolder, redisUrl: url, startupTimeoutMs: timeoutMs } = config;
  const topics = topicsOf(config.topicPrefix);
  const redis = openRedis(context, 'join');
  const bus = connectBus({
    brokers,
    clientId: 'roundhouse-aggregator',
    logger,
    maxMessageBytes,
    stateFolder,
  });
  onStop('bus', () => bus.close());
  await waitForRedis(redis, { url, timeoutMs, logger, signal });
  watched.redis = redis;
  await bus.waitUntilReady(timeoutMs, signal);
  await bus.ensureTopics(topicSpecs(topics, config));
  const skewMs = await bus.measureClockSkewMs(config);
  events.ClockSkewMeasured({ skewMs });
  await waitForEvictionPolicy(redis, logger, signal);
  const producer = await bus.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  return { bus, producer, redis, topics, skewMs };
}

function startDecider({ config, onStop }: Context): RoundDecider {
  const decider = new RoundDecider(config.modelsDir, new TravelMatrices(config.modelsDir));
  onStop('decider', () => decider.stop());
  return decider;
}

function assemble(
  context: Context,
  connections: Connections,
  events: AggregatorEvents,
  decider: RoundDecider,
) {
  const { config, logger, onStop } = context;
  const { bus, producer, redis, topics, skewMs } = connections;
  const book = new RoundBook();
  const store = new JoinStore(redis, config.topicPrefix, config.roundTtlMs);
  const outages = new OutageLog(events);
  const stalls = new LoopStalls();
  stalls.start();
  onStop('stall watch', () => stalls.stop());
  const probe = new RedisProbe(redis, store.keys.probe(), outages, stalls);
  store.tookLate = (since) => outages.happened('redis', since);
  const refusals = new SparseLog(logger, 'warn', 'RedisRefused');
  store.refused = (reason) => refusals.report(reason);
  const budget = new CloseBudget(config.closeMarginMs);
  const timers = new DeadlineTimers();
  onStop('timers', () => timers.clearAll());
  const publisher = new DecisionPublisher(producer, topics, outages, stalls, skewMs);
  const isRedisThere = () => redis.status === 'ready';
  const deadLetters = new DeadLetterBox(producer, topics, events);
  const onInvalid = refuseEarly(deadLetters, topics, (error) =>
    logger.error({ event: 'DeadLetterFailed', error }),
  );
  const shared = { book, store, events, budget, onInvalid };
  const closer = new RoundCloser({ ...shared, publisher, outages, stalls, timers, decider, isRedisThere });
  redis.on('ready', () => closer.redisIsBack());
  const backupClose = new BackupClose(book, store, closer, budget, events, onInvalid);
  const backup = new BackupJobs({
    queueClient: openRedis(context, 'backup-queue'),
    workerClient: openRedis(context, 'backup-worker'),
    prefix: config.topicPrefix,
    logger,
    onDue: (key) => backupClose.onDue(key),
  });
  onStop('backup jobs', () => backup.stop());
  const onFailed = (error: unknown) => logger.error({ event: 'OutcomeRecoveryFailed', error });
  const recovery = new OutcomeRecovery(bus, topics, events, onFailed);
  const scheduleBackup = (key: string, at: number) => backup.schedule(key, at);
  const horizonMs = config.roundTtlMs;
  const rebuild = { bus, topics, store, book, events, horizonMs, scheduleBackup };
  const asOutage = async (work: Promise<void>): Promise<void> => {
    const since = Date.now();
    await work;
    outages.happened('redis', since);
  };
  store.rebuild = () => asOutage(rebuildJoin(rebuild));
  store.recall = () => asOutage(recallDecisions(rebuild));
  const admission = new Admission({ ...shared, closer, backup, recovery });
  return { ...shared, outages, stalls, probe, closer, admission, deadLetters };
}

type Join = ReturnType<typeof assemble>;

async function followNotices(context: Context, { admission, book, store }: Join): Promise<void> {
  const subscriber = openRedis(context, 'notices');
  const pull = (key: string) => {
    admission.pull(key).catch((error: unknown) => context.logger.error({ event: 'PullFailed', error }));
  };
  await followOutcomeNotices(subscriber, store.keys.channel(), pull, () => {
    for (const { key } of book.all()) pull(key);
  });
}

async function startConsumers(
  { config, onStop, fail }: Context,
  { bus, topics }: Connections,
  join: Join,
  watched: Watched,
): Promise<{ rounds: WindowedConsumer; outcomes: WindowedConsumer }> {
  const rounds = new RoundHandler(join.admission, join.deadLetters);
  const outcomes = new OutcomeHandler(join);
  const { topicPrefix, sessionTimeoutMs } = config;
  const outcomeConsumer = bus.windowedConsumer({
    groupId: `${topicPrefix}aggregator-outcomes`,
    topics: [topics.outcomes],
    window: config.outcomeWindow,
    sessionTimeoutMs,
    handle: (message, lease) => outcomes.handle(message, lease),
    onFatal: fail,
  });
  const roundConsumer = bus.windowedConsumer({
    groupId: `${topicPrefix}aggregator-rounds`,
    topics: [topics.rounds],
    window: config.roundWindow,
    windowBytes: config.roundWindowBytes,
    sessionTimeoutMs,
    handle: (message, lease) => rounds.handle(message, lease),
    drainMs: LEAVE_AFTER_MS,
    onAssigned: (leases) => rounds.assigned(leases),
    onFatal: fail,
  });
  onStop('outcomes', () => outcomeConsumer.stop());
  onStop('closing rounds', () => join.closer.settle(SETTLE_MS));
  onStop('rounds in time', () => roundConsumer.idle(SEE_THROUGH_MS));
  onStop('rounds', () => roundConsumer.stop());
  watched.outcomes = outcomeConsumer;
  watched.rounds = roundConsumer;
  await Promise.all([outcomeConsumer.start(), roundConsumer.start()]);
  return { rounds: roundConsumer, outcomes: outcomeConsumer };
}
