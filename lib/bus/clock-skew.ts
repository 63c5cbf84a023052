import { Partitioners, type Kafka } from 'kafkajs';
import { RoundhouseError } from '#schemas/errors';
import { ensureTopics } from './kafka-topics';

const probes = 5;

/** As in the configuration of the services: the probe's topic is made like the others. */
export interface ClockProbe {
  readonly topicPrefix: string;
  readonly replicationFactor: number;
  readonly maxClockSkewMs: number;
}

/**
 * Our clock minus the broker's in milliseconds: a record's append time against the middle of its way. The
 * probe with the shortest way counts; the error is at most half of that way. Throws CLOCK_SKEWED above the
 * limit, in either direction.
 */
export async function measureClockSkewMs(kafka: Kafka, probe: ClockProbe): Promise<number> {
  const topic = `${probe.topicPrefix}roundhouse.clock-probe`;
  const { replicationFactor } = probe;
  const retentionMs = 60_000;
  await ensureTopics(kafka, [
    { topic, partitions: 1, replicationFactor, retentionMs, maxMessageBytes: 1_048_576 },
  ]);
  const skewMs = await shortestProbe(kafka, topic);
  refuseSkew(skewMs, probe.maxClockSkewMs);
  return skewMs;
}

async function shortestProbe(kafka: Kafka, topic: string): Promise<number> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  let best = { skewMs: 0, wayMs: Infinity };
  try {
    for (let i = 0; i < probes; i++) {
      const sentAt = Date.now();
      const [result] = await producer.send({ topic, acks: -1, messages: [{ key: null, value: '' }] });
      const wayMs = Date.now() - sentAt;
      const appendedAt = Number(result?.logAppendTime ?? -1);
      if (appendedAt < 0) throw new RoundhouseError('CONFIG_INVALID', `${topic} has no append time`);
      if (wayMs < best.wayMs) best = { skewMs: Math.round(sentAt + wayMs / 2 - appendedAt) + 0, wayMs };
    }
  } finally {
    await producer.disconnect().catch(() => undefined);
  }
  return best.skewMs;
}

function refuseSkew(skewMs: number, limitMs: number): void {
  if (Math.abs(skewMs) <= limitMs) return;
  const message = `our clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'ahead of' : 'behind'} the broker's; the limit is ${limitMs} ms (ROUNDHOUSE_MAX_CLOCK_SKEW_MS)`;
  throw new RoundhouseError('CLOCK_SKEWED', message);
}
