import type { Admin, Kafka } from 'kafkajs';
import type { PartitionOffsets } from '#policy/operations/partition-lag';

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

type Committed = ReadonlyMap<number, bigint>;

/** An offset of -1 says that there is no commit. */
async function committedOf(admin: Admin, { groupId, topic }: GroupOfTopic): Promise<Committed> {
  const answers = await admin.fetchOffsets({ groupId, topics: [topic] });
  const partitions = answers.flatMap((answer) => answer.partitions);
  return new Map(
    partitions
      .map(({ partition, offset }) => [partition, BigInt(offset)] as const)
      .filter(([, o]) => o >= 0n),
  );
}

async function endsOf(admin: Admin, topic: string): Promise<TopicOffsets[]> {
  const partitions = await admin.fetchTopicOffsets(topic);
  return partitions
    .map(({ partition, low, high }) => ({ topic, partition, oldest: BigInt(low), end: BigInt(high) }))
    .sort((a, b) => a.partition - b.partition);
}

/**
 * Looks at groups and topics by one connection, which is made anew after a fault. It reads only: nothing joins a group or
 * commits. Ends are last stable offsets, as a reader of committed messages sees them.
 */
export class OffsetsReader {
  private admin: Promise<Admin> | null = null;
  private looks = 0;
  private members = new Map<string, number>();

  constructor(private readonly kafka: Kafka) {}

  /** The topics have to exist: a broker may make those that are asked for. Rejects when the broker doesn't answer. */
  async look(groups: readonly GroupOfTopic[], topics: readonly string[]): Promise<OffsetsLook> {
    try {
      this.admin ??= this.connect();
      const admin = await this.admin;
      const look = await lookWith(admin, groups, topics);
      if (this.looks++ % membersEvery === 0 || groups.some(({ groupId }) => !this.members.has(groupId)))
        this.members = await membersOf(admin, groups);
      return {
        ...look,
        groups: look.groups.map((one) => ({ ...one, members: this.members.get(one.groupId) ?? 0 })),
      };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  private async connect(): Promise<Admin> {
    const admin = this.kafka.admin({ retry: { initialRetryTime: 20, maxRetryTime: 200, retries: 2 } });
    await admin.connect();
    return admin;
  }

  async close(): Promise<void> {
    const open = this.admin;
    this.admin = null;
    this.looks = 0;
    await open?.then((admin) => admin.disconnect()).catch(() => undefined);
  }
}

async function membersOf(admin: Admin, groups: readonly GroupOfTopic[]): Promise<Map<string, number>> {
  const ids = [...new Set(groups.map(({ groupId }) => groupId))];
  const { groups: described } = await admin.describeGroups(ids);
  return new Map(described.map(({ groupId, members }) => [groupId, members.length]));
}

interface LookWithoutMembers {
  readonly topics: readonly TopicOffsets[];
  readonly groups: readonly Omit<GroupOffsets, 'members'>[];
}

/** Commits come first: an end that is asked for afterwards is never below them. */
async function lookWith(
  admin: Admin,
  groups: readonly GroupOfTopic[],
  topics: readonly string[],
): Promise<LookWithoutMembers> {
  const commits = await Promise.all(groups.map((group) => committedOf(admin, group)));
  const ends = (await Promise.all(topics.map((topic) => endsOf(admin, topic)))).flat();
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
