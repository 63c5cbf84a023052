import { SparseLog } from '#lib/bus/sparse-log';
import type { AggregatorConfig } from './config';
import { openRedis, type Connections, type Context } from './connections';
import { DeadLetterBox } from './consume/dead-letter-box';
import { refuseEarly } from './consume/refused-outcome';
import type { RoundDecider } from './decide/round-decider';
import type { AggregatorEvents } from './events';
import { Admission } from './join/admission';
import { BackupClose } from './join/backup-close';
import type { OnInvalid } from './join/pull-outcomes';
import { RoundBook } from './join/round-book';
import { RoundCloser } from './join/round-closer';
import { DecisionPublisher } from './publish/decision-publisher';
import { LoopStalls } from './publish/loop-stalls';
import { OutageLog } from './publish/outage-log';
import { JoinStore } from './store/join-store';
import { OutcomeRecovery } from './store/outcome-recovery';
import { rebuildJoin, recallDecisions } from './store/rebuild-join';
import { RedisProbe } from './store/redis-probe';
import { BackupJobs } from './timers/backup-jobs';
import { CloseBudget } from './timers/close-budget';
import { DeadlineTimers } from './timers/deadline-timers';

/** The rounds' memory in Redis, and what notices that it is away or slow. */
interface WatchedStore {
  readonly store: JoinStore;
  readonly outages: OutageLog;
  readonly stalls: LoopStalls;
  readonly probe: RedisProbe;
}

interface Shared extends WatchedStore {
  readonly events: AggregatorEvents;
  readonly onInvalid: OnInvalid;
  readonly book: RoundBook;
  readonly budget: CloseBudget;
}

export interface Join extends Shared {
  readonly closer: RoundCloser;
  readonly admission: Admission;
  readonly deadLetters: DeadLetterBox;
}

/** What holds rounds and closes them, put together; nothing comes in yet. */
export function assemble(
  context: Context,
  connections: Connections,
  events: AggregatorEvents,
  decider: RoundDecider,
): Join {
  const { config, logger, telemetry } = context;
  const { tracer } = telemetry;
  const { bus, producer, topics } = connections;
  const deadLetters = new DeadLetterBox(producer, topics, events);
  const onInvalid = refuseEarly(deadLetters, topics, (error) =>
    logger.error({ event: 'DeadLetterFailed', error }),
  );
  const watched = watchedStore(context, connections, events);
  const shared = {
    ...watched,
    events,
    onInvalid,
    book: new RoundBook(),
    budget: new CloseBudget(config.closeMarginMs),
  };
  const closer = roundCloser(context, connections, shared, decider);
  const backup = backupJobs(context, shared, closer);
  surviveLosses(context, connections, shared, backup);
  const onFailed = (error: unknown) => logger.error({ event: 'OutcomeRecoveryFailed', error });
  const recovery = new OutcomeRecovery(bus, topics, events, onFailed);
  const admission = new Admission({ ...shared, closer, backup, recovery, tracer });
  return { ...shared, closer, admission, deadLetters };
}

function watchedStore(
  { config, logger, onStop }: Context,
  { redis }: Connections,
  events: AggregatorEvents,
): WatchedStore {
  const store = new JoinStore(redis, config.topicPrefix, config.roundTtlMs, rememberedMs(config));
  const outages = new OutageLog(events);
  const stalls = new LoopStalls();
  stalls.start();
  onStop('stall watch', () => stalls.stop());
  const probe = new RedisProbe(redis, store.keys.probe(), outages, stalls);
  store.tookLate = (since) => outages.happened('redis', since);
  const refusals = new SparseLog(logger, 'warn', 'RedisRefused');
  store.refused = (reason) => refusals.report(reason);
  return { store, outages, stalls, probe };
}

function roundCloser(
  { onStop }: Context,
  { producer, redis, topics, clock }: Connections,
  shared: Shared,
  decider: RoundDecider,
): RoundCloser {
  const timers = new DeadlineTimers();
  onStop('timers', () => timers.clearAll());
  const publisher = new DecisionPublisher(producer, topics, shared.outages, shared.stalls, clock);
  const isRedisThere = () => redis.status === 'ready';
  const closer = new RoundCloser({ ...shared, publisher, timers, decider, isRedisThere });
  redis.on('ready', () => closer.redisIsBack());
  return closer;
}

/** Jobs by which rounds are closed when the instance that holds them dies. */
function backupJobs(context: Context, shared: Shared, closer: RoundCloser): BackupJobs {
  const { book, store, budget, events, onInvalid } = shared;
  const backupClose = new BackupClose(
    book,
    store,
    closer,
    budget,
    events,
    onInvalid,
    context.telemetry.tracer,
  );
  const backup = new BackupJobs({
    queueClient: openRedis(context, 'backup-queue'),
    workerClient: openRedis(context, 'backup-worker'),
    prefix: context.config.topicPrefix,
    logger: context.logger,
    onDue: (key) => backupClose.onDue(key),
  });
  context.onStop('backup jobs', () => backup.stop());
  return backup;
}

/** An offset may wait for a round with the longest deadline: what lies behind it is known at least as long. */
function rememberedMs({ roundTtlMs, maxDeadlineAheadMs }: AggregatorConfig): number {
  return Math.max(roundTtlMs, maxDeadlineAheadMs);
}

/** What Redis has lost is read again from Kafka, and the time that it takes counts as an outage. */
function surviveLosses(
  { config }: Context,
  { bus, topics }: Connections,
  { store, book, events, outages }: Shared,
  backup: BackupJobs,
): void {
  const scheduleBackup = (key: string, at: number) => backup.schedule(key, at);
  const horizonMs = rememberedMs(config);
  const rebuild = { bus, topics, store, book, events, horizonMs, scheduleBackup };
  const asOutage = async (work: Promise<void>): Promise<void> => {
    const since = Date.now();
    await work;
    outages.happened('redis', since);
  };
  store.openUntil = (key) => book.latestDeadlineBeside(key);
  store.rebuild = () => asOutage(rebuildJoin(rebuild));
  store.recall = () => asOutage(recallDecisions(rebuild));
}
