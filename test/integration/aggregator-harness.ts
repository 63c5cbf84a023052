import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { connectBus, topicSpecs, type Bus } from '#lib/bus/kafka';
import type { BusMessage, BusProducer } from '#lib/bus/port';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { cutRound } from '#policy/sharding/index';
import type { RoundId, RunId, UnixMs } from '#schemas/brands';
import { decisionsCodec, outcomesCodec, roundsCodec } from '#schemas/codec';
import type { Decision, DispatchRound, ModelRef, RoundManifest, ShardOutcome } from '#schemas/domain';
import { roundKey, topicsOf, zoneKey, type Topics } from '#schemas/topics';
import { OpenRound } from '#services/aggregator/join/open-round';
import { bruteCostShard } from '../support/brute-cost-shard';
import { buildCourier, buildOrder, buildRound, buildStop } from '../support/build-round';
import type { Stack } from '../support/stack';
import { until } from '../support/until';

const models: ModelRef[] = [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }];
export const topicSettings = {
  partitions: 2,
  replicationFactor: 1,
  maxMessageBytes: 8_388_608,
  roundRetentionMs: 3_600_000,
  decisionRetentionMs: 3_600_000,
  deadLetterRetentionMs: 3_600_000,
};

export interface Published {
  readonly decision: Decision;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly appendedAt: UnixMs;
}

export interface CutRound {
  readonly manifest: RoundManifest;
  readonly outcomes: readonly ShardOutcome[];
}

/** Three couriers and three orders, one candidate a shard, so that a round has several shards. */
export function roundOf(changes: Partial<DispatchRound>): CutRound {
  const round = buildRound({
    runId: `run-${randomBytes(4).toString('hex')}` as RunId,
    couriers: [0, 1, 2].map((i) => buildCourier(`k${i}`, { position: { x: 1_000 * i, y: 0 } })),
    orders: [0, 1, 2].map((i) =>
      buildOrder(`o${i}`, {
        pickup: buildStop(`R${i}`, 1_000 * i, 0),
        dropoff: buildStop(`h${i}`, 1_000 * i, 300),
      }),
    ),
    ...changes,
  });
  const { manifest, shards } = cutRound(round, models, { candidatesPerShard: 3 });
  return { manifest, outcomes: shards.map(bruteCostShard) };
}

/** Plays ingest, worker and client around aggregators that are real processes. */
export class AggregatorHarness {
  readonly topics: Topics;
  readonly deadLetters: BusMessage[] = [];
  private readonly published: Published[] = [];

  private constructor(
    readonly pipeline: Pipeline,
    readonly bus: Bus,
    private readonly producer: BusProducer,
    topics: Topics,
  ) {
    this.topics = topics;
  }

  static async start(
    stack: Pick<Stack, 'topicPrefix'> & Partial<Pick<Stack, 'kafkaBrokers' | 'redisUrl'>>,
    aggregators = 1,
    env: NodeJS.ProcessEnv = {},
  ): Promise<AggregatorHarness> {
    const pipeline = await startPipeline({
      inheritedEnv: process.env,
      ...stack,
      counts: { ingest: 0, worker: 0, aggregator: aggregators },
      env: { ROUNDHOUSE_PARTITIONS: '2', ROUNDHOUSE_MAX_CLOCK_SKEW_MS: '2000', ...env },
      restarts: false,
    });
    const logger = pino({ level: 'warn' });
    const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'harness', logger });
    const topics = topicsOf(stack.topicPrefix);
    await bus.ensureTopics(topicSpecs(topics, topicSettings));
    const harness = new AggregatorHarness(pipeline, bus, await bus.producer(), topics);
    await harness.follow();
    return harness;
  }

  private async follow(): Promise<void> {
    await this.bus.followTopic({
      topic: this.topics.decisions,
      from: 'earliest',
      handle: ({ value, headers, timestamp }) =>
        this.published.push({
          decision: decisionsCodec.decode(value!),
          bytes: value!,
          headers,
          appendedAt: timestamp,
        }),
    });
    const handle = (message: BusMessage) => void this.deadLetters.push(message);
    await this.bus.followTopic({ topic: this.topics.deadLetters, from: 'earliest', handle });
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.pipeline.stop();
  }

  async publishRound({ manifest }: CutRound, sent: Readonly<Record<string, string>> = {}): Promise<void> {
    const key = zoneKey(manifest.round.tenantId, manifest.round.zoneId);
    const value = roundsCodec.encode(manifest);
    await this.producer.send([{ topic: this.topics.rounds, key, value, headers: sent }]);
  }

  async publishOutcomes(outcomes: readonly ShardOutcome[]): Promise<void> {
    for (const outcome of outcomes) {
      await this.publish(this.topics.outcomes, roundKey(outcome), outcomesCodec.encode(outcome));
    }
  }

  async publish(topic: string, key: string, value: Buffer, partition?: number): Promise<void> {
    await this.producer.send([{ topic, key, value, ...(partition !== undefined && { partition }) }]);
  }

  /** Until the aggregator has the round and so many of its outcomes in Redis. */
  async stored({ manifest: { round } }: CutRound, outcomes: number): Promise<void> {
    const redis = new Redis(this.pipeline.redisUrl);
    const key = (kind: string) => `${this.pipeline.topicPrefix}aggregator:${kind}:${roundKey(round)}`;
    const isStored = async () =>
      (await redis.exists(key('round'))) === 1 && (await redis.llen(key('outcomes'))) === outcomes;
    try {
      await until(isStored, `${outcomes} outcomes of ${round.roundId} in Redis`);
    } finally {
      redis.disconnect();
    }
  }

  /** All records of the round's decision so far. */
  decisionsOf({ manifest }: CutRound): Published[] {
    const key = roundKey(manifest.round);
    return this.published.filter(({ decision }) => roundKey(decision) === key);
  }

  async decisionOf(round: CutRound, timeoutMs = 60_000): Promise<Published> {
    const giveUpAt = Date.now() + timeoutMs;
    while (Date.now() < giveUpAt) {
      const [first] = this.decisionsOf(round);
      if (first !== undefined) return first;
      await sleep(10);
    }
    throw new Error(`no decision of ${round.manifest.round.roundId} in ${timeoutMs} ms`);
  }

  eventually(what: () => boolean): Promise<void> {
    return until(what, String(what));
  }
}

export const inMs = (ms: number) => (Date.now() + ms) as UnixMs;
export const roundId = (text: string) => text as RoundId;
export const reasonsOf = ({ decision }: Published) =>
  Object.fromEntries(decision.content.unassigned.map(({ orderId, reason }) => [orderId, reason]));

/** As an instance has it in memory, to be closed at its deadline. */
export function inMemory({ manifest }: CutRound, isOwned = true): OpenRound {
  return new OpenRound({
    key: roundKey(manifest.round),
    manifest,
    manifestBytes: roundsCodec.encode(manifest),
    manifestHash: 'hash',
    meta: { acceptedAt: Date.now() as UnixMs, traceparent: null, receivedAt: null },
    closeAt: manifest.round.deadline,
    isOwned: () => isOwned,
    cameLate: false,
  });
}
