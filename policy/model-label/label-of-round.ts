import { createHash } from 'node:crypto';
import type { RoundKey, RoundPolicy } from '#schemas/domain';

const separator = '\u001f';
const bits = 48;

/** A number from 0 to 1 (not included) that belongs to the round for ever, whoever asks. */
export function ticketOf({ tenantId, runId, roundId }: RoundKey): number {
  const text = ['canary', tenantId, runId, roundId].join(separator);
  return (
    createHash('sha256')
      .update(text)
      .digest()
      .readUIntBE(0, bits / 8) /
    2 ** bits
  );
}

/**
 * The label of a round: the one that it names, else `canary` for a share of the rounds. A larger share keeps
 * the rounds of a smaller one.
 */
export function labelOfRound(
  key: RoundKey,
  named: RoundPolicy['modelLabel'] | undefined,
  canaryShare: number,
): RoundPolicy['modelLabel'] {
  return named ?? (ticketOf(key) < canaryShare ? 'canary' : 'stable');
}
