import type { GroupDescription, Kafka } from 'kafkajs';

interface TopicOffsetsAnswer {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
}

/** The coordinator of a group. */
export interface Coordinator {
  readonly nodeId: number;
  offsetFetch(request: {
    readonly groupId: string;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly { partition: number }[];
    }[];
  }): Promise<{ readonly responses: readonly TopicOffsetsAnswer[] }>;
  describeGroups(request: {
    readonly groupIds: readonly string[];
  }): Promise<{ readonly groups: readonly GroupDescription[] }>;
}

/** What we use of kafkajs' view of the brokers, with one connection to each that is asked. */
export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  findTopicPartitionMetadata(topic: string): readonly { readonly partitionId: number }[];
  /** One question to each broker, whatever the number of topics. */
  fetchTopicsOffset(
    topics: readonly {
      readonly topic: string;
      readonly fromBeginning: boolean;
      readonly partitions: readonly { readonly partition: number }[];
    }[],
  ): Promise<readonly TopicOffsetsAnswer[]>;
  findGroupCoordinator(request: { readonly groupId: string }): Promise<Coordinator>;
}

type WithClusters = Readonly<Record<symbol, ((options: object) => Cluster) | undefined>>;

/**
 * kafkajs keeps its clusters to itself: its admin asks who coordinates a group before every question, and twice for each
 * topic. It makes no topics.
 */
export function makeCluster(kafka: Kafka): Cluster {
  const symbols = Object.getOwnPropertySymbols(kafka);
  const key = symbols.find(({ description }) => description === 'private:Kafka:createCluster');
  const make = key === undefined ? undefined : (kafka as unknown as WithClusters)[key];
  if (make === undefined) throw new Error('this kafkajs makes no clusters');
  return make({ allowAutoTopicCreation: false });
}
