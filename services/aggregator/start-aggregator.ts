import type { Lease, WindowedConsumer } from '#lib/bus/port';
import { startHealthServer } from '#lib/health';
import { readServerTls } from '#lib/server-tls';
import type { ServicePorts } from '#lib/service';
import { TravelMatrices } from '#lib/travel-matrices';
import { watchClock } from '#lib/watch-clock';
import { assemble, type Join } from './assemble';
import { aggregatorSettings } from './config';
import { connect, openRedis, type Connections, type Context } from './connections';
import { OutcomeHandler } from './consume/outcome-handler';
import { RoundHandler } from './consume/round-handler';
import { decidingSides, RoundDecider } from './decide/round-decider';
import { aggregatorEvents, type AggregatorEvents } from './events';
import { aggregatorChecks, watchOutages, type Watched } from './readiness';
import { followOutcomeNotices } from './store/outcome-notices';

const SETTLE_MS = 5_000;
/** At a stop, other instances get the round partitions after so long, whatever is open here. */
const LEAVE_AFTER_MS = 100;
/** At a stop, rounds that are due within so long are still decided here, too: there may be no other instance. */
const SEE_THROUGH_MS = 9_000;

/** Starts the parts in their order; they stop in the reverse one. */
export async function startAggregator(context: Context): Promise<ServicePorts> {
  const events = aggregatorEvents(context.telemetry);
  const watched: Watched = {};
  const http = await startHealth(context, watched);
  const decider = startDecider(context, events);
  const warmUp = decider.warmUp();
  const connections = await connect(context, events, watched);
  await warmUp;
  const join = assemble(context, connections, events, decider);
  watched.probe = join.probe;
  context.telemetry.registry.observed(
    'dispatch_rounds_open',
    'Rounds between their manifest and their decision.',
    () => join.book.size,
  );
  await join.store.ready();
  await followNotices(context, join);
  const consumers = await startConsumers(context, connections, { ...join, decider }, watched);
  join.outages.happened('aggregator', 0);
  const seen = { redis: connections.redis, probe: join.probe, ...consumers };
  const stopWatching = watchOutages(seen, join.outages, join.stalls);
  context.onStop('outage watch', stopWatching);
  watchOurClock(context, connections, events, { join, watched });
  return { http };
}

/** With a wrong clock rounds can't be closed in time: they are left to whoever has a good one. */
function watchOurClock(
  { onStop, fail }: Context,
  { clock }: Connections,
  events: AggregatorEvents,
  { join, watched }: { readonly join: Join; readonly watched: Watched },
): void {
  const stop = watchClock({
    measure: () => clock.measure(),
    events,
    onStep: () => join.closer.clockStepped(),
    onSkewed: (error) => {
      watched.isSkewed = true;
      join.closer.leaveDeadlines();
      fail(error);
    },
  });
  onStop('clock', stop);
}

async function startHealth({ config, telemetry, onStop }: Context, watched: Watched): Promise<number> {
  const { bindHost: host, httpPort: port } = config;
  const checks = aggregatorChecks(watched);
  const tls = readServerTls(config);
  const { key: portKey } = aggregatorSettings.httpPort;
  const health = await startHealthServer({ registry: telemetry.registry, host, port, portKey, checks, tls });
  onStop('health', () => health.close());
  return health.port;
}

function startDecider({ config, onStop }: Context, events: AggregatorEvents): RoundDecider {
  const decider = new RoundDecider(
    config.modelsDir,
    new TravelMatrices(config.modelsDir),
    config.closeMarginMs,
    decidingSides(config.modelsDir, (ms) => events.DecidingThreadReplaced({ seconds: ms / 1_000 })),
  );
  onStop('decider', () => decider.stop());
  return decider;
}

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
  join: Join & { readonly decider: RoundDecider },
  watched: Watched,
): Promise<{ rounds: WindowedConsumer; outcomes: WindowedConsumer }> {
  const rounds = new RoundHandler(join.admission, join.deadLetters, join.decider);
  const outcomes = new OutcomeHandler(join);
  const { topicPrefix, sessionTimeoutMs } = config;
  const joined = (consumergroup: string, { length: partitions }: readonly Lease[]) =>
    join.events.GroupJoined({ consumergroup, partitions });
  const [roundGroup, outcomeGroup] = [`${topicPrefix}aggregator-rounds`, `${topicPrefix}aggregator-outcomes`];
  const outcomeConsumer = bus.windowedConsumer({
    groupId: outcomeGroup,
    topics: [topics.outcomes],
    window: config.outcomeWindow,
    sessionTimeoutMs,
    handle: (message, lease) => outcomes.handle(message, lease),
    onAssigned: (leases) => joined(outcomeGroup, leases),
    onFatal: fail,
  });
  const roundConsumer = bus.windowedConsumer({
    groupId: roundGroup,
    topics: [topics.rounds],
    window: config.roundWindow,
    windowBytes: config.roundWindowBytes,
    sessionTimeoutMs,
    handle: (message, lease) => rounds.handle(message, lease),
    drainMs: LEAVE_AFTER_MS,
    onAssigned: (leases) => {
      joined(roundGroup, leases);
      rounds.assigned(leases);
    },
    onFatal: fail,
  });
  onStop('outcomes', () => outcomeConsumer.stop());
  const seeThroughMs = () => (watched.isSkewed === true ? 0 : SEE_THROUGH_MS);
  onStop('closing rounds', () => join.closer.settle(SETTLE_MS));
  onStop('rounds in time', () => roundConsumer.idle(seeThroughMs()));
  onStop('rounds', () => roundConsumer.stop());
  watched.outcomes = outcomeConsumer;
  watched.rounds = roundConsumer;
  await Promise.all([outcomeConsumer.start(), roundConsumer.start()]);
  return { rounds: roundConsumer, outcomes: outcomeConsumer };
}
