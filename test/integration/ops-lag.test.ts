import { Kafka, logLevel, type Admin, type Producer } from 'kafkajs';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { topicsOf } from '#schemas/topics';
import { startStack } from '../support/stack';
import { until } from '../support/until';

const stack = startStack('ops-lag');
const topics = topicsOf(stack.topicPrefix);
const worker = `${stack.topicPrefix}inference-worker`;
const other = `${stack.topicPrefix}billing`;

let kafka: Kafka;
let admin: Admin;
let producer: Producer;
let pipeline: Pipeline;

beforeAll(async () => {
  kafka = new Kafka({ brokers: [...stack.brokers], logLevel: logLevel.NOTHING });
  admin = kafka.admin();
  producer = kafka.producer();
  await Promise.all([admin.connect(), producer.connect()]);
  pipeline = await startPipeline({
    inheritedEnv: process.env,
    ...stack,
    counts: { ingest: 0, worker: 0, aggregator: 0, ops: 1 },
    env: {
      ROUNDHOUSE_OPS_INTERVAL_MS: '200',
      ROUNDHOUSE_OPS_CONSUMER_GROUPS: `${other}@${topics.shards}`,
      ROUNDHOUSE_OPS_TARGETS: 'worker=http://127.0.0.1:1',
    },
    restarts: false,
  });
});
afterAll(async () => {
  await Promise.all([admin.disconnect(), producer.disconnect()]);
  await pipeline.stop();
});

/** Values of one metric by its labels but for the service. */
async function series(name: string): Promise<Record<string, number>> {
  const response = await fetch(`${pipeline.consoleUrl}/metrics`);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return Object.fromEntries(
    lines.map((line) => {
      const [, labels, value] = /\{(.*),?service="ops"\} (\S+)/.exec(line)!;
      const named = labels!.replaceAll(stack.topicPrefix, '').replace(/,$/, '');
      return [named, Number(value)];
    }),
  );
}

/** Until the metric is so; the last look, and not the first one, counts. */
async function becomes(name: string, expected: Readonly<Record<string, number | undefined>>): Promise<void> {
  let found: Record<string, number> = {};
  const isSo = async (): Promise<boolean> => {
    found = await series(name);
    return Object.entries(expected).every(([labels, value]) => found[labels] === value);
  };
  await until(isSo, `${name} ${JSON.stringify(expected)}`).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(found)}`);
  });
}

const partition = (group: string, number: number, topic = 'dispatch.shards'): string =>
  `consumergroup="${group}",topic="${topic}",partition="${number}"`;

async function send(count: number, number = 0): Promise<void> {
  const messages = Array.from({ length: count }, () => ({ partition: number, key: null, value: 'x' }));
  await producer.send({ topic: topics.shards, messages });
}

const commit = (groupId: string, offset: number, number = 0): Promise<void> =>
  admin.setOffsets({
    groupId,
    topic: topics.shards,
    partitions: [{ partition: number, offset: `${offset}` }],
  });

test('before anybody has made the topics, it says so and makes none', async () => {
  const reasons = async () => ((await (await fetch(`${pipeline.consoleUrl}/readyz`)).json()) as any).reasons;
  await until(async () => /no topic/.test((await reasons())?.rounds ?? ''), 'the reason');
  expect(await admin.listTopics()).not.toContain(topics.rounds);
  const made = [topics.rounds, topics.shards, topics.outcomes, topics.decisions];
  await admin.createTopics({ topics: made.map((topic) => ({ topic, numPartitions: 2 })) });
  await until(async () => (await fetch(`${pipeline.consoleUrl}/readyz`)).ok, 'ready');
});

test('no commit is its own state, and no lag of any size', async () => {
  await send(5);
  await becomes('kafka_topic_partition_current_offset', { 'topic="dispatch.shards",partition="0"': 5 });
  await becomes('dispatch_consumergroup_without_commit', { [partition('inference-worker', 0)]: 1 });
  await becomes('kafka_consumergroup_lag', { [partition('inference-worker', 0)]: undefined });
  await becomes('kafka_consumergroup_members', { 'consumergroup="inference-worker"': 0 });
});

test("lag is by group, topic and partition, in kafka_exporter's names, of groups of others too", async () => {
  await commit(worker, 2);
  await commit(other, 5);
  await becomes('kafka_consumergroup_lag', {
    // 5 - 2, and 5 - 5
    [partition('inference-worker', 0)]: 3,
    [partition('billing', 0)]: 0,
    [partition('inference-worker', 1)]: undefined,
  });
  await becomes('kafka_consumergroup_current_offset', { [partition('inference-worker', 0)]: 2 });
  await becomes('kafka_consumergroup_lag_sum', {
    'consumergroup="inference-worker",topic="dispatch.shards"': 3,
  });
  await becomes('dispatch_consumergroup_without_commit', { [partition('inference-worker', 0)]: 0 });
  await until(async () => {
    const behind = await series('dispatch_seconds_behind');
    return behind['consumergroup="inference-worker",topic="dispatch.shards"']! > 0;
  }, 'seconds behind');
  await becomes('dispatch_seconds_behind', { 'consumergroup="billing",topic="dispatch.shards"': 0 });
});

test('a commit beyond the end, or before what is kept, is told and never a negative lag', async () => {
  await commit(worker, 9);
  await becomes('dispatch_consumergroup_out_of_range', { [partition('inference-worker', 0)]: 1 });
  await becomes('kafka_consumergroup_lag', { [partition('inference-worker', 0)]: 0 });
  await commit(worker, 1);
  await admin.deleteTopicRecords({ topic: topics.shards, partitions: [{ partition: 0, offset: '3' }] });
  await becomes('kafka_topic_partition_oldest_offset', { 'topic="dispatch.shards",partition="0"': 3 });
  // 3 and 4 are left
  await becomes('kafka_consumergroup_lag', { [partition('inference-worker', 0)]: 2 });
  await becomes('dispatch_consumergroup_out_of_range', { [partition('inference-worker', 0)]: 1 });
});

test('messages of an open transaction are none that a group could have read', async () => {
  const writer = kafka.producer({
    transactionalId: `${stack.topicPrefix}tx`,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await writer.connect();
  const transaction = await writer.transaction();
  await transaction.send({
    topic: topics.shards,
    messages: [
      { partition: 1, value: 'a' },
      { partition: 1, value: 'b' },
    ],
  });
  await commit(worker, 0, 1);
  await becomes('kafka_consumergroup_lag', { [partition('inference-worker', 1)]: 0 });
  await transaction.commit();
  // Two messages and the marker of the transaction's end
  await becomes('kafka_consumergroup_lag', { [partition('inference-worker', 1)]: 3 });
  await writer.disconnect();
});

test('nothing of it joins or commits a group of the pipeline', async () => {
  const { groups } = await admin.describeGroups([worker, `${stack.topicPrefix}aggregator-rounds`]);
  expect(groups.every(({ members }) => members.length === 0)).toBe(true);
});

test('what is no manifest is counted and passed over', async () => {
  await producer.send({ topic: topics.rounds, messages: [{ key: null, value: 'no manifest' }] });
  await until(async () => {
    const text = await (await fetch(`${pipeline.consoleUrl}/metrics`)).text();
    return /dispatch_ops_records_unreadable_total\{service="ops"\} 1\b/.test(text);
  }, 'the counter');
});
