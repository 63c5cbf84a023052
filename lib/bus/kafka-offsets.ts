import type { Kafka } from 'kafkajs';
import type { PartitionOffsets } from '#policy/operations/partition-lag';
import { makeCluster, type Cluster, type Coordinator } from './kafka-cluster';

/** A group and the topic that it reads. */
export interface GroupOfTopic {
  readonly groupId: string;
  readonly topic: string;
}

export interface GroupOffsets extends GroupOfTopic {
  /** Members that held the group within the last three looks. */
  readonly members: number;
  readonly partitions: readonly PartitionOffsets[];
}

export type TopicOffsets = Omit<PartitionOffsets, 'committed'>;

export interface OffsetsLook {
  /** Of every topic that was asked for, of groups or not. */
  readonly topics: readonly TopicOffsets[];
  readonly groups: readonly GroupOffsets[];
}

/** Members change seldom, and asking for them costs as much as the rest. */
const membersEvery = 3;

/**
 * Looks at groups and topics by one connection to each broker, made anew after a fault. It reads only: nothing joins a group or
 * commits. Ends are last stable offsets, as a reader of committed messages sees them.
 */
export class OffsetsReader {
  private session: Promise<Session> | null = null;
  private looks = 0;
  private members = new Map<string, number>();

  constructor(private readonly kafka: Kafka) {}

  /** The topics have to exist: a broker may make those that are asked for. Rejects when the broker doesn't answer. */
  async look(groups: readonly GroupOfTopic[], topics: readonly string[]): Promise<OffsetsLook> {
    const isFirst = this.session === null;
    try {
      return await this.lookOnce(groups, topics);
    } catch (error) {
      await this.close();
      // A coordinator or leader that moved, or a connection that ended, is no fault of the brokers'.
      if (isFirst) throw error;
    }
    try {
      return await this.lookOnce(groups, topics);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  private async lookOnce(groups: readonly GroupOfTopic[], topics: readonly string[]): Promise<OffsetsLook> {
    this.session ??= Session.open(this.kafka);
    const session = await this.session;
    const look = await session.look(groups, topics);
    if (this.looks++ % membersEvery === 0 || groups.some(({ groupId }) => !this.members.has(groupId)))
      this.members = await session.membersOf(groups);
    const members = ({ groupId }: GroupOfTopic): number => this.members.get(groupId) ?? 0;
    return { ...look, groups: look.groups.map((one) => ({ ...one, members: members(one) })) };
  }

  async close(): Promise<void> {
    const open = this.session;
    this.session = null;
    this.looks = 0;
    await open?.then((session) => session.close()).catch(() => undefined);
  }
}

interface LookWithoutMembers {
  readonly topics: readonly TopicOffsets[];
  readonly groups: readonly Omit<GroupOffsets, 'members'>[];
}

/** Coordinators are asked for once: one that moved refuses what it is asked. */
class Session {
  private readonly coordinators = new Map<string, Promise<Coordinator>>();

  private constructor(private readonly cluster: Cluster) {}

  static async open(kafka: Kafka): Promise<Session> {
    const cluster = makeCluster(kafka);
    await cluster.connect();
    return new Session(cluster);
  }

  close(): Promise<void> {
    return this.cluster.disconnect();
  }

  /** Commits come first: an end that is asked for afterwards is never below them. */
  async look(groups: readonly GroupOfTopic[], topics: readonly string[]): Promise<LookWithoutMembers> {
    await this.cluster.addMultipleTargetTopics([...topics, ...groups.map(({ topic }) => topic)]);
    await this.cluster.refreshMetadataIfNecessary();
    const commits = await Promise.all(groups.map((group) => this.committedOf(group)));
    const ends = await this.endsOf(topics);
    return {
      topics: ends,
      groups: groups.map(({ groupId, topic }, index) => ({
        groupId,
        topic,
        partitions: ends
          .filter((end) => end.topic === topic)
          .map((end) => ({ ...end, committed: commits[index]!.get(end.partition) ?? null })),
      })),
    };
  }

  async membersOf(groups: readonly GroupOfTopic[]): Promise<Map<string, number>> {
    const ids = [...new Set(groups.map(({ groupId }) => groupId))];
    const asked = ids.map(async (groupId) => {
      const coordinator = await this.coordinatorOf(groupId);
      return (await coordinator.describeGroups({ groupIds: [groupId] })).groups;
    });
    const described = (await Promise.all(asked)).flat();
    return new Map(described.map(({ groupId, members }) => [groupId, members.length]));
  }

  private coordinatorOf(groupId: string): Promise<Coordinator> {
    const known = this.coordinators.get(groupId) ?? this.cluster.findGroupCoordinator({ groupId });
    this.coordinators.set(groupId, known);
    return known;
  }

  private partitionsOf(topic: string): { partition: number }[] {
    const partitions = this.cluster.findTopicPartitionMetadata(topic);
    return partitions
      .map(({ partitionId }) => ({ partition: partitionId }))
      .sort((a, b) => a.partition - b.partition);
  }

  /** An offset of -1 says that there is no commit. */
  private async committedOf({ groupId, topic }: GroupOfTopic): Promise<Map<number, bigint>> {
    const coordinator = await this.coordinatorOf(groupId);
    const topics = [{ topic, partitions: this.partitionsOf(topic) }];
    const { responses } = await coordinator.offsetFetch({ groupId, topics });
    const partitions = responses.flatMap((answer) => answer.partitions);
    const offsets = partitions.map(({ partition, offset }) => [partition, BigInt(offset)] as const);
    return new Map(offsets.filter(([, offset]) => offset >= 0n));
  }

  /** Of partitions that have a leader. */
  private async endsOf(topics: readonly string[]): Promise<TopicOffsets[]> {
    const [ends, oldest] = [await this.offsetsOf(topics, false), await this.offsetsOf(topics, true)];
    const all = topics.flatMap((topic) =>
      this.partitionsOf(topic).map(({ partition }) => ({ topic, partition })),
    );
    return all.flatMap((one) => {
      const key = `${one.topic}/${one.partition}`;
      const [end, low] = [ends.get(key), oldest.get(key)];
      return end === undefined || low === undefined
        ? []
        : [{ ...one, oldest: BigInt(low), end: BigInt(end) }];
    });
  }

  private async offsetsOf(topics: readonly string[], fromBeginning: boolean): Promise<Map<string, string>> {
    const asked = topics.map((topic) => ({ topic, fromBeginning, partitions: this.partitionsOf(topic) }));
    const answers = await this.cluster.fetchTopicsOffset(asked);
    return new Map(
      answers.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => [`${topic}/${partition}`, offset] as const),
      ),
    );
  }
}
