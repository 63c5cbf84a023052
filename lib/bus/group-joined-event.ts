import { event } from '#lib/telemetry';

/** A consumer has its partitions of a new generation of its group: at its start, and after each rebalance. */
export const groupJoinedEvent = event<{ consumergroup: string; partitions: number }>({
  level: 'debug',
  labels: { consumergroup: 4 },
  counter: {
    name: 'dispatch_group_joins_total',
    help: 'Generations of a consumer group that this process has had a place in.',
  },
});
