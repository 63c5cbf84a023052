import { pino } from 'pino';
import { connectBus, type Bus, type Follower } from '#lib/bus/kafka';
import type { BusMessage, BusProducer } from '#lib/bus/port';
import { startPipeline, type Pipeline, type PipelineOptions } from '#launcher/pipeline';
import type { ShardIndex, UnixMs } from '#schemas/brands';
import { outcomesCodec, shardsCodec } from '#schemas/codec';
import type { Shard, ShardOutcome } from '#schemas/domain';
import { shardKey, topicsOf } from '#schemas/topics';
import { startStack } from '../support/stack';
import { processOf } from '../support/running-process';

const logger = pino({ level: 'silent' });

/** Workers on the shared broker, and what they put on their topics. */
export interface WorkerBench {
  readonly pipeline: Pipeline;
  readonly bus: Bus;
  readonly producer: BusProducer;
  readonly outcomes: { outcome: ShardOutcome; message: BusMessage }[];
  readonly letters: BusMessage[];
  send(shard: Shard, index: number, changes?: Partial<Shard>): Promise<void>;
  sendRaw(key: string | null, value: Buffer, headers?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

/** `outcomeBytes`: the topic of outcomes takes no larger message, whatever the workers' setting says. */
export async function startWorkerBench(
  name: string,
  { outcomeBytes, ...options }: Partial<PipelineOptions> & { readonly outcomeBytes?: number } = {},
): Promise<WorkerBench> {
  const stack = startStack(name);
  const topics = topicsOf(stack.topicPrefix);
  const bus = connectBus({ brokers: stack.brokers, clientId: 'worker-test', logger });
  if (outcomeBytes !== undefined) {
    const limits = { partitions: 1, replicationFactor: 1, retentionMs: 600_000 };
    await bus.ensureTopics([{ topic: topics.outcomes, ...limits, maxMessageBytes: outcomeBytes }]);
  }
  const pipeline = await startPipeline({
    inheritedEnv: process.env,
    kafkaBrokers: stack.kafkaBrokers,
    redisUrl: stack.redisUrl,
    topicPrefix: stack.topicPrefix,
    ...options,
    counts: { ingest: 0, aggregator: 0, ...options.counts },
  });
  const outcomes: WorkerBench['outcomes'] = [];
  const letters: BusMessage[] = [];
  const producer = await bus.producer();
  const followers: Follower[] = await Promise.all([
    bus.followTopic({
      topic: topics.outcomes,
      from: 'latest',
      handle: (message) => outcomes.push({ outcome: outcomesCodec.decode(message.value!), message }),
    }),
    bus.followTopic({ topic: topics.deadLetters, from: 'latest', handle: (m) => letters.push(m) }),
  ]);
  return {
    pipeline,
    bus,
    producer,
    outcomes,
    letters,
    send(shard, index, changes = {}) {
      const deadline = (Date.now() + 20_000) as UnixMs;
      const value = { ...shard, shardIndex: index as ShardIndex, deadline, ...changes };
      return producer.send([
        {
          topic: topics.shards,
          key: shardKey(value),
          value: shardsCodec.encode(value),
          headers: { traceparent: '00-1' },
        },
      ]);
    },
    sendRaw: (key, value, headers = {}) => producer.send([{ topic: topics.shards, key, value, headers }]),
    async stop() {
      await Promise.all(followers.map((follower) => follower.close()));
      await bus.close();
      await pipeline.stop();
    },
  };
}

export function workerUrl(pipeline: Pipeline, path: string): string {
  const worker = processOf(pipeline, 'worker');
  return `http://127.0.0.1:${worker.ports.http}${path}`;
}

export async function readyz(
  pipeline: Pipeline,
): Promise<{ status: number; body: { reasons?: Record<string, string> } }> {
  const response = await fetch(workerUrl(pipeline, '/readyz'));
  return { status: response.status, body: (await response.json()) as never };
}

/** It may have ended meanwhile. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whatever engine the first worker starts is killed, until it gives up; what it says of itself then. */
export async function killUntilGivenUp(pipeline: Pipeline): ReturnType<typeof readyz> {
  for (;;) {
    pipeline.enginePids('worker').forEach(kill);
    const look = await readyz(pipeline);
    if (/engines in a row ended soon/.test(look.body.reasons?.['engine'] ?? '')) return look;
  }
}
