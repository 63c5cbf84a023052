import { readFileSync } from 'node:fs';
import type { RoundId, RunId, TenantId, UnixMs } from '#schemas/brands';
import type { Decision, DecisionContent, DispatchRound } from '#schemas/domain';
import { projectPath } from '#schemas/project-root';
import { entryTypeOf, type EntryType } from '../container/entry-type';

/** What a run made of a round. */
export interface ReplayedRound {
  readonly tenantId: TenantId;
  /** Of the recording; the decision has the replay's own. */
  readonly sourceRunId: RunId;
  readonly roundId: RoundId;
  /** Content hash of the recorded decision; null where there is none. */
  readonly recordedHash: string | null;
  readonly cutDiffers: boolean;
  /** The broker's append time; null in a run without Kafka, which knows no time. */
  readonly appendedAt: UnixMs | null;
  /** From its first shard to its decision, wall time. */
  readonly solveMs: number;
  /** What leaving out its unassigned orders costs by its policy. */
  readonly leftOutCost: bigint;
  readonly decision: Decision | null;
  /** Why there is no decision; null where there is one. */
  readonly error: string | null;
}

const nullable = (type: unknown) => ['null', type];

export const replayedRoundType: EntryType = entryTypeOf({
  type: 'record',
  name: 'ReplayedRound',
  fields: [
    { name: 'tenantId', type: 'string' },
    { name: 'sourceRunId', type: 'string' },
    { name: 'roundId', type: 'string' },
    { name: 'recordedHash', type: nullable('string') },
    { name: 'cutDiffers', type: 'boolean' },
    { name: 'appendedAt', type: nullable('long') },
    { name: 'solveMs', type: 'double' },
    { name: 'leftOutCost', type: { type: 'long', 'x-js': 'bigint' } },
    {
      name: 'decision',
      type: nullable(
        JSON.parse(readFileSync(projectPath('schemas', 'avro', 'decisions.avsc'), 'utf8')) as unknown,
      ),
    },
    { name: 'error', type: nullable('string') },
  ],
});

/** Σ base + perDeferral · timesDeferred over the orders left out, without the cancelled. */
export function leftOutCost({ orders, policy }: DispatchRound, content: DecisionContent): bigint {
  const deferred = new Map(orders.map(({ orderId, timesDeferred }) => [orderId, timesDeferred]));
  const { base, perDeferral } = policy.unassignedPenalty;
  let sum = 0n;
  for (const { orderId, reason } of content.unassigned) {
    if (reason === 'cancelled') continue;
    sum += BigInt(base) + BigInt(perDeferral) * BigInt(deferred.get(orderId) ?? 0);
  }
  return sum;
}
