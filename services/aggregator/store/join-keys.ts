import type { DispatchRound } from '#schemas/domain';

/** Redis keys of the join. A run has its own zone sequences, so a replay doesn't make another run stale. */
export class JoinKeys {
  constructor(private readonly prefix: string) {}

  readonly epoch = () => `${this.prefix}aggregator:epoch`;
  /** The epoch in which everything decided before it was read back from Kafka. */
  readonly recalled = () => `${this.prefix}aggregator:recalled`;
  /** Written all the time, to see whether Redis takes it. */
  readonly probe = () => `${this.prefix}aggregator:probe`;
  readonly round = (key: string) => `${this.prefix}aggregator:round:${key}`;
  readonly outcomes = (key: string) => `${this.prefix}aggregator:outcomes:${key}`;
  readonly seen = (key: string) => `${this.prefix}aggregator:seen:${key}`;
  readonly channel = () => `${this.prefix}aggregator:outcomes`;
  readonly zone = ({ tenantId, runId, zoneId }: Pick<DispatchRound, 'tenantId' | 'runId' | 'zoneId'>) =>
    `${this.prefix}aggregator:zone:${[tenantId, runId, zoneId].join('\u001f')}`;
}

/** int64 as 20 digits that sort as the numbers do. */
export function sortableSequence(sequence: bigint): string {
  return (sequence + 2n ** 63n).toString().padStart(20, '0');
}
