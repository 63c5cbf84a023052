/** What a broker says of a partition, and a group's place in it. */
export interface PartitionOffsets {
  readonly topic: string;
  readonly partition: number;
  /** The oldest message that is kept. */
  readonly oldest: bigint;
  /** Up to where a consumer of committed messages can read: the last stable offset. */
  readonly end: bigint;
  /** Asked for before `end`; null where the group never committed one. */
  readonly committed: bigint | null;
}

/** `expired`: what comes next was removed by retention; `beyond_end`: the topic was made anew. */
export const commitStates = ['committed', 'none', 'expired', 'beyond_end'] as const;
export type CommitState = (typeof commitStates)[number];

export interface PartitionLag extends PartitionOffsets {
  readonly state: CommitState;
  /** Messages that can be read and are not committed; null without a commit. */
  readonly lag: bigint | null;
  /** The same, where a group without a commit begins at the oldest message. */
  readonly backlog: bigint;
}

function stateOf({ committed, oldest, end }: PartitionOffsets): CommitState {
  if (committed === null) return 'none';
  if (committed < oldest) return 'expired';
  return committed > end ? 'beyond_end' : 'committed';
}

/** Never negative: a commit beyond the end has nothing left to read, whatever numbers say. */
export function partitionLag(offsets: PartitionOffsets): PartitionLag {
  const { committed, oldest, end } = offsets;
  const from = committed === null || committed < oldest ? oldest : committed;
  const backlog = end > from ? end - from : 0n;
  return { ...offsets, state: stateOf(offsets), lag: committed === null ? null : backlog, backlog };
}
