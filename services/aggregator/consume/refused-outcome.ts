import type { BusMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import type { ShardOutcome } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { roundKey, type Topics } from '#schemas/topics';
import type { OpenRound } from '../join/open-round';
import type { OnInvalid } from '../join/pull-outcomes';
import type { DeadLetterBox } from './dead-letter-box';

/** Where a message stood isn't known any more once it comes out of Redis. */
const UNKNOWN_PLACE = { partition: -1, offset: -1n } as const;

function invalidOutcome({ shardIndex, roundId }: ShardOutcome, fault: string): RoundhouseError {
  return new RoundhouseError(
    'PAYLOAD_INVALID',
    `outcome of shard ${shardIndex} of round ${roundId}: ${fault}`,
  );
}

/**
 * For outcomes that came before their manifest and contradict it: to the dead letters, from where the round's
 * offset waits for them.
 */
export function refuseEarly(
  deadLetters: Pick<DeadLetterBox, 'put'>,
  topics: Pick<Topics, 'outcomes'>,
  onFailed: (error: unknown) => void,
): OnInvalid {
  return (open, outcome, bytes, fault) => {
    const message: BusMessage = {
      topic: topics.outcomes,
      ...UNKNOWN_PLACE,
      key: Buffer.from(roundKey(outcome)),
      value: bytes,
      headers: {},
      timestamp: Date.now() as UnixMs,
    };
    const lease = leaseOf(open, message);
    const put = deadLetters.put(message, lease, invalidOutcome(outcome, fault));
    open.owed.push(put.catch(onFailed));
  };
}

function leaseOf(open: OpenRound, { topic, partition }: BusMessage) {
  return { topic, partition, isOwned: () => open.parts.isOwned() };
}
