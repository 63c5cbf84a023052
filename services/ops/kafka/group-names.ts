import type { GroupOfTopic } from '#lib/bus/kafka';
import { topicsOf } from '#schemas/topics';
import type { NamedGroup } from '../config';

export interface OwnGroups {
  readonly shards: GroupOfTopic;
  readonly rounds: GroupOfTopic;
  readonly outcomes: GroupOfTopic;
}

/** The consumer groups of a deployment (docs/configuration.md). */
export function ownGroups(prefix: string): OwnGroups {
  const topics = topicsOf(prefix);
  return {
    shards: { groupId: `${prefix}inference-worker`, topic: topics.shards },
    rounds: { groupId: `${prefix}aggregator-rounds`, topic: topics.rounds },
    outcomes: { groupId: `${prefix}aggregator-outcomes`, topic: topics.outcomes },
  };
}

/** Every group that is looked at, each with its topic once. */
export function watchedGroups(prefix: string, others: readonly NamedGroup[]): GroupOfTopic[] {
  const { shards, rounds, outcomes } = ownGroups(prefix);
  const all = [shards, rounds, outcomes, ...others];
  const id = ({ groupId, topic }: GroupOfTopic): string => `${groupId}@${topic}`;
  return [...new Map(all.map((group) => [id(group), group])).values()];
}
