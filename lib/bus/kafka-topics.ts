import { ConfigResourceTypes, type Admin, type Kafka } from 'kafkajs';
import { configError } from '../config';
import { withAdmin } from './kafka-client';
import { topicConfigEntries, type TopicSpec } from './topic-specs';

async function createMissing(admin: Admin, specs: readonly TopicSpec[]): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = specs.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({
    waitForLeaders: true,
    timeout: 10_000,
    topics: missing.map((spec) => ({
      topic: spec.topic,
      numPartitions: spec.partitions,
      replicationFactor: spec.replicationFactor,
      configEntries: topicConfigEntries(spec),
    })),
  });
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
    await requireAppendTime(admin, specs);
  });
}
