import type { Family, FamilyKind } from '#lib/metrics/family';
import { gaugeFamily } from '#lib/metrics/registry';
import type { GroupView, LagView, PartitionView } from './lag-book';

type Values = Parameters<typeof gaugeFamily>[2];

function topicValues({ topics }: LagView, valueOf: (topic: LagView['topics'][number]) => bigint): Values {
  return topics.map((one) => ({
    labels: { topic: one.topic, partition: String(one.partition) },
    value: Number(valueOf(one)),
  }));
}

/** Partitions for which there is nothing to say are left out: no commit is not a lag of 0. */
function partitionValues(
  { groups }: LagView,
  valueOf: (partition: PartitionView) => number | bigint | boolean | null,
): Values {
  return groups.flatMap(({ groupId, topic, partitions }) =>
    partitions.flatMap((one) => {
      const value = valueOf(one);
      if (value === null) return [];
      const labels = { consumergroup: groupId, topic, partition: String(one.partition) };
      return [{ labels, value: Number(value) }];
    }),
  );
}

function groupValues({ groups }: LagView, valueOf: (group: GroupView) => number): Values {
  return groups.map((group) => {
    const { groupId, topic } = group;
    return { labels: { consumergroup: groupId, topic }, value: valueOf(group) };
  });
}

function partitionCounts({ topics }: LagView): Values {
  const counts = new Map<string, number>();
  for (const { topic } of topics) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  return [...counts].map(([topic, value]) => ({ labels: { topic }, value }));
}

const lagOf = ({ lag }: PartitionView): bigint | null => lag;
const sumOf = (group: GroupView, of: (partition: PartitionView) => bigint | null): number =>
  Number(group.partitions.reduce((sum, partition) => sum + (of(partition) ?? 0n), 0n));

type Row = readonly [name: string, help: string, values: (view: LagView) => Values, kind?: FamilyKind];

/** As kafka_exporter names and labels them. Ends are last stable offsets. */
const ofKafkaExporter: readonly Row[] = [
  ['kafka_topic_partitions', 'Partitions of a topic.', partitionCounts],
  [
    'kafka_topic_partition_current_offset',
    'Up to where a partition can be read.',
    (view) => topicValues(view, ({ end }) => end),
  ],
  [
    'kafka_topic_partition_oldest_offset',
    'The oldest message that a partition keeps.',
    (view) => topicValues(view, ({ oldest }) => oldest),
  ],
  [
    'kafka_consumergroup_current_offset',
    'What a group has committed; absent where it never committed.',
    (view) => partitionValues(view, ({ committed }) => committed),
  ],
  [
    'kafka_consumergroup_lag',
    'Messages that a group has not committed; absent where it never committed.',
    (view) => partitionValues(view, lagOf),
  ],
  [
    'kafka_consumergroup_current_offset_sum',
    'The same over the partitions of a topic.',
    (view) => groupValues(view, (group) => sumOf(group, ({ committed }) => committed)),
  ],
  [
    'kafka_consumergroup_lag_sum',
    'The same over the partitions of a topic.',
    (view) => groupValues(view, (group) => sumOf(group, lagOf)),
  ],
  [
    'kafka_consumergroup_members',
    'Members that a group has.',
    ({ groups }) => {
      const members = new Map(groups.map((group) => [group.groupId, group.members]));
      return [...members].map(([consumergroup, value]) => ({ labels: { consumergroup }, value }));
    },
  ],
];

const ofOurs: readonly Row[] = [
  [
    'dispatch_consumergroup_without_commit',
    '1 where a group never committed a partition.',
    (view) => partitionValues(view, ({ state }) => state === 'none'),
  ],
  [
    'dispatch_consumergroup_out_of_range',
    '1 where the commit of a group is older than what is kept, or beyond the end.',
    (view) => partitionValues(view, ({ state }) => state === 'expired' || state === 'beyond_end'),
  ],
  [
    'dispatch_seconds_behind',
    'Age of the oldest message of a topic that a group has not committed.',
    (view) => groupValues(view, ({ secondsBehind }) => secondsBehind),
  ],
];

export function lagFamilies(view: LagView): Family[] {
  return [...ofKafkaExporter, ...ofOurs].map(([name, help, values, kind]) =>
    gaugeFamily(name, help, values(view), kind),
  );
}
