import { pino } from 'pino';
import { connectBus, type Bus, type Follower } from '#lib/bus/kafka';
import type { BusMessage, BusProducer } from '#lib/bus/port';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import type { DecisionId, Seconds, UnixMs } from '#schemas/brands';
import { decisionContentHash, decisionsCodec, roundsCodec } from '#schemas/codec';
import type { Decision, DecisionContent, DispatchRound } from '#schemas/domain';
import { headers, topicsOf, zoneKey, type TopicName, type Topics } from '#schemas/topics';
import { startStack, type Stack } from '../support/stack';
import { until } from '../support/until';

const logger = pino({ level: 'silent' });

/** Real points in a city, so that the default space and radius hold. */
export function roundBody(roundId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    runId: 'run',
    roundId,
    deadline: Date.now() + 60_000,
    couriers: [
      { courierId: 'k', position: { x: 13.4, y: 52.52 } },
      { courierId: 'l', position: { x: 13.41, y: 52.52 } },
    ],
    orders: [
      { orderId: 'a', pickup: { point: { x: 13.39, y: 52.51 } }, dropoff: { point: { x: 13.41, y: 52.53 } } },
    ],
    ...changes,
  };
}

export function decisionOf(round: DispatchRound, changes: Partial<DecisionContent> = {}): Decision {
  const content: DecisionContent = {
    assignments: [
      {
        courierId: round.couriers[0]!.courierId,
        orderIds: [round.orders[0]!.orderId],
        stops: [],
        cost: 9_007_199_254_740_993n,
        unproven: false,
        stage: 'final',
      },
    ],
    moves: [],
    unassigned: [],
    shards: [{ shardIndex: 0 as never, status: 'solved', errorCode: null }],
    candidatesTotal: 2,
    candidatesArrived: 2,
    coverage: 1,
    closedBy: 'complete',
    assignmentGap: 0n,
    models: [],
    ...changes,
  };
  const { tenantId, runId, roundId, zoneId, sequence, asOf, deadline } = round;
  const decisionId = `decision-${roundId}` as DecisionId;
  const contentHash = decisionContentHash(content);
  return {
    tenantId,
    runId,
    roundId,
    zoneId,
    sequence,
    asOf: asOf as Seconds,
    deadline,
    decisionId,
    contentHash,
    content,
  };
}

export interface IngestBench {
  readonly stack: Stack;
  readonly pipeline: Pipeline;
  readonly url: string;
  readonly grpc: string;
  readonly topics: Topics;
  readonly bus: Bus;
  readonly producer: BusProducer;
  /** What came on each topic since the start, in order of arrival. */
  readonly seen: Readonly<Record<'rounds' | 'shards' | 'observations', BusMessage[]>>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: any }>;
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: any; headers: Headers }>;
  /** The manifests on Kafka of a round, once there are at least `count`. */
  manifests(roundId: string, count?: number): Promise<DispatchRound[]>;
  publishDecision(decision: Decision, extra?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

async function follow(bus: Bus, topics: Topics, names: readonly TopicName[]) {
  const seen: Record<string, BusMessage[]> = {};
  const followers: Follower[] = [];
  for (const name of names) {
    const messages: BusMessage[] = (seen[name] = []);
    followers.push(
      await bus.followTopic({
        topic: topics[name],
        from: 'earliest',
        handle: (message) => messages.push(message),
      }),
    );
  }
  return { seen: seen as IngestBench['seen'], followers };
}

async function replyOf(response: Response) {
  const text = await response.text();
  const body = text.startsWith('{') ? JSON.parse(text) : text;
  return { status: response.status, body, headers: response.headers };
}

/** Requests of one ingest process. */
function requestsOf(url: string): Pick<IngestBench, 'post' | 'get'> {
  return {
    async post(path, body, extra = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const init = { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...extra } };
      return replyOf(await fetch(`${url}${path}`, init));
    },
    async get(path, extra = {}) {
      return replyOf(await fetch(`${url}${path}`, { headers: extra }));
    },
  };
}

/** What it put on Kafka, and what an aggregator would. */
function kafkaOf(
  seen: IngestBench['seen'],
  producer: BusProducer,
  topics: Topics,
): Pick<IngestBench, 'manifests' | 'publishDecision'> {
  return {
    async manifests(roundId, count = 1) {
      const rounds = () =>
        seen.rounds
          .map(({ value }) => roundsCodec.decode(value!).round)
          .filter((round) => round.roundId === roundId);
      await until(() => rounds().length >= count, `${count} manifests of round ${roundId}`);
      return rounds();
    },
    async publishDecision(decision, extra = {}) {
      const key = zoneKey(decision.tenantId, decision.zoneId);
      const value = decisionsCodec.encode(decision);
      await producer.send([
        { topic: topics.decisions, key, value, headers: { [headers.closedAt]: '123', ...extra } },
      ]);
    },
  };
}

/** One real ingest process on the shared broker and Redis, without worker and aggregator. */
export async function startIngest(name: string, env: NodeJS.ProcessEnv = {}): Promise<IngestBench> {
  const stack = startStack(name);
  const topics = topicsOf(stack.topicPrefix);
  const { kafkaBrokers, redisUrl, topicPrefix } = stack;
  const pipeline = await startPipeline({
    inheritedEnv: process.env,
    kafkaBrokers,
    redisUrl,
    topicPrefix,
    counts: { worker: 0, aggregator: 0 },
    serviceEnv: { ingest: env },
  });
  const bus = connectBus({ brokers: stack.brokers, clientId: 'ingest-test', logger });
  const producer = await bus.producer();
  const { seen } = await follow(bus, topics, ['rounds', 'shards', 'observations']);
  const { ingestUrl: url, ingestGrpc: grpc } = pipeline;
  const stop = async () => {
    await bus.close();
    await pipeline.stop();
  };
  const parts = { stack, pipeline, url, grpc, topics, bus, producer, seen, stop };
  return { ...parts, ...requestsOf(url), ...kafkaOf(seen, producer, topics) };
}

export const soon = () => (Date.now() + 60_000) as UnixMs;
