import { ConfigResourceTypes, type Admin, type Kafka } from 'kafkajs';
import { RoundhouseError } from '#schemas/errors';
import { configError } from '../config';
import { messageOf, withAdmin } from './kafka-client';
import { topicConfigEntries, type TopicSpec } from './topic-specs';

async function createMissing(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = specs.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({
    waitForLeaders: false,
    timeout: 10_000,
    topics: missing.map((spec) => ({
      topic: spec.topic,
      numPartitions: spec.partitions,
      replicationFactor: spec.replicationFactor,
      configEntries: topicConfigEntries(spec),
    })),
  });
}

const leadersTimeoutMs = 15_000;
const pollMs = 50;

/** A new topic, ours or another process's, is unknown to the broker's metadata for a moment. */
async function waitForLeaders(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  const topics = specs.map(({ topic }) => topic);
  const giveUpAt = Date.now() + leadersTimeoutMs;
  for (;;) {
    const reason = await leaderless(admin, topics);
    if (reason === null) return;
    if (Date.now() > giveUpAt)
      throw new RoundhouseError('DEPENDENCY_ABSENT', `topics without leader: ${reason}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

async function leaderless(admin: Admin, topics: string[]): Promise<string | null> {
  try {
    const metadata = await admin.fetchTopicMetadata({ topics });
    const waiting = metadata.topics.filter(({ partitions }) => partitions.some(({ leader }) => leader < 0));
    return waiting.length === 0 ? null : waiting.map(({ name }) => name).join(', ');
  } catch (error) {
    return messageOf(error);
  }
}

/** Deadlines are judged by the broker's append time, so a topic with the producer's time is refused. */
async function requireAppendTime(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  const name = 'message.timestamp.type';
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: specs.map(({ topic }) => ({
      type: ConfigResourceTypes.TOPIC,
      name: topic,
      configNames: [name],
    })),
  });
  const faults = resources.flatMap(({ resourceName, configEntries }) => {
    const value = configEntries.find((entry) => entry.configName === name)?.configValue ?? '';
    if (value === 'LogAppendTime') return [];
    return [{ path: `topic ${resourceName} ${name}`, value, limit: 'LogAppendTime' }];
  });
  if (faults.length > 0) throw configError(faults);
}

/** Makes the topics that are missing. Several processes may do it at once. */
export async function ensureTopics(kafka: Kafka, specs: readonly TopicSpec[]): Promise<void> {
  await withAdmin(kafka, async (admin) => {
    await createMissing(admin, specs);
    await waitForLeaders(admin, specs);
    await requireAppendTime(admin, specs);
  });
}

/** Those that are not there; asking for their offsets would make them on some brokers. */
export async function missingTopics(kafka: Kafka, topics: readonly string[]): Promise<string[]> {
  const existing = new Set(await withAdmin(kafka, (admin) => admin.listTopics()));
  return topics.filter((topic) => !existing.has(topic));
}

/** All of a deployment: those whose names begin with its prefix, which ends with a dot. */
export async function deleteTopics(kafka: Kafka, prefix: string): Promise<void> {
  if (!/[^.]\.$/.test(prefix))
    throw new RoundhouseError('INTERNAL', `topics of the prefix "${prefix}" are not deleted`);
  await withAdmin(kafka, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics, timeout: 10_000 });
  });
}
