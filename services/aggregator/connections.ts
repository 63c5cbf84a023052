import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import type { BusProducer } from '#lib/bus/port';
import { closeRedis, createRedis, waitForRedis, type Redis } from '#lib/redis';
import { redisAccess } from '#lib/redis-security';
import type { ServiceContext } from '#lib/service';
import { topicsOf, type Topics } from '#schemas/topics';
import type { AggregatorConfig } from './config';
import type { AggregatorEvents } from './events';
import { BrokerClock } from './publish/broker-clock';
import { waitForEvictionPolicy, type Watched } from './readiness';

/** A send that is not taken for so long is an outage; it is tried again with the mark. */
const DELIVERY_TIMEOUT_MS = 300;
/** Commands wait through an outage of Redis. */
const patient = { maxRetriesPerRequest: null } as const;

export type Context = ServiceContext<AggregatorConfig>;

export interface Connections {
  readonly bus: Bus;
  readonly producer: BusProducer;
  readonly redis: Redis;
  readonly topics: Topics;
  readonly clock: BrokerClock;
}

export function openRedis({ config, logger, onStop }: Context, name: string): Redis {
  const client = createRedis({ ...redisAccess(config), name: `aggregator-${name}`, logger, redis: patient });
  onStop(`redis ${name}`, () => closeRedis(client));
  client.connect().catch(() => undefined);
  return client;
}

/** Waits for Redis and the broker, whose topics exist then. */
export async function connect(
  context: Context,
  events: AggregatorEvents,
  watched: Watched,
): Promise<Connections> {
  const { config, logger, signal, onStop } = context;
  const { maxMessageBytes, stateFolder, redisUrl: url, startupTimeoutMs: timeoutMs } = config;
  const topics = topicsOf(config.topicPrefix);
  const redis = openRedis(context, 'join');
  const bus = connectBus({
    ...kafkaAccess(config),
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
  const clock = new BrokerClock(() => bus.measureClockSkewMs(config));
  events.ClockSkewMeasured({ skewMs: await clock.measure() });
  await waitForEvictionPolicy(redis, logger, signal);
  const producer = await bus.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  return { bus, producer, redis, topics, clock };
}
