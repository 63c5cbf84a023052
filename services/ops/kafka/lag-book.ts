import type { GroupOffsets, OffsetsLook, TopicOffsets } from '#lib/bus/kafka';
import { EndHistory } from '#policy/operations/end-history';
import { partitionLag, type CommitState, type PartitionLag } from '#policy/operations/partition-lag';

export interface PartitionView {
  readonly partition: number;
  readonly state: CommitState;
  readonly committed: bigint | null;
  readonly end: bigint;
  readonly lag: bigint | null;
}

/** A group on a topic. */
export interface GroupView {
  readonly groupId: string;
  readonly topic: string;
  readonly members: number;
  /** Messages that it has to read yet, of all partitions. */
  readonly backlog: number;
  readonly secondsBehind: number;
  /** Messages that it has committed or passed, ever: only its growth says something. */
  readonly taken: number;
  readonly partitions: readonly PartitionView[];
}

export interface LagView {
  readonly topics: readonly TopicOffsets[];
  readonly groups: readonly GroupView[];
}

/** What was seen of groups and topics, with the memory that ages of messages need. */
export class LagBook {
  private readonly histories = new Map<string, EndHistory>();
  private view: LagView = { topics: [], groups: [] };

  /** Of the last look; empty before the first one. */
  get last(): LagView {
    return this.view;
  }

  /** Topics that were not looked at stay as they were. */
  saw(look: OffsetsLook, at: number): LagView {
    for (const { topic, partition, end } of look.topics) this.historyOf(topic, partition).saw(end, at);
    const seen = new Set(look.topics.map(({ topic }) => topic));
    const others = this.view.topics.filter(({ topic }) => !seen.has(topic));
    const groups = look.groups.map((group) => this.groupView(group, at));
    this.view = { topics: [...look.topics, ...others], groups };
    return this.view;
  }

  private historyOf(topic: string, partition: number): EndHistory {
    const key = `${topic}/${partition}`;
    const known = this.histories.get(key);
    if (known !== undefined) return known;
    const history = new EndHistory();
    this.histories.set(key, history);
    return history;
  }

  private groupView({ groupId, topic, members, partitions }: GroupOffsets, at: number): GroupView {
    const lags = partitions.map(partitionLag);
    const ages = lags.map((lag) => this.secondsBehind(lag, at));
    return {
      groupId,
      topic,
      members,
      backlog: Number(lags.reduce((sum, { backlog }) => sum + backlog, 0n)),
      secondsBehind: Math.max(0, ...ages),
      taken: Number(lags.reduce((sum, { end, backlog }) => sum + end - backlog, 0n)),
      partitions: lags.map(({ partition, state, committed, end, lag }) => {
        return { partition, state, committed, end, lag };
      }),
    };
  }

  private secondsBehind({ topic, partition, end, backlog }: PartitionLag, at: number): number {
    return this.historyOf(topic, partition).secondsBehind(end - backlog, at);
  }
}
