import { ownBytes } from '#lib/own-bytes';
import { outcomesCodec } from '#schemas/codec';
import type { ShardOutcome } from '#schemas/domain';
import type { JoinStore } from '../store/join-store';
import type { OpenRound } from './open-round';

/** What stood in Redis before anyone could compare it with the manifest, and contradicts it. */
export type OnInvalid = (open: OpenRound, outcome: ShardOutcome, bytes: Buffer, fault: string) => void;

const MOST_LOOK_MS = 100;

/** What a look at Redis before the close may take: a third of the time to the deadline, the rest is for the decision. */
export function lookMs(leftMs: number): number {
  return leftMs > 0 ? Math.min(MOST_LOOK_MS, leftMs / 3) : MOST_LOOK_MS;
}

/** Outcomes that stand in Redis and were not looked at yet: those of other instances among them. */
export async function pullOutcomes(
  open: OpenRound,
  store: Pick<JoinStore, 'outcomesFrom'>,
  onInvalid: OnInvalid,
): Promise<void> {
  const from = open.pulled;
  takeOutcomes(open, await store.outcomesFrom(open.key, from), from, onInvalid);
}

/** `from`: the position of the first of them in the list. */
export function takeOutcomes(
  open: OpenRound,
  stored: readonly Buffer[],
  from: number,
  onInvalid: OnInvalid,
): void {
  const unseen = stored.slice(Math.max(0, open.pulled - from));
  open.pulled = Math.max(open.pulled, from + stored.length);
  for (const bytes of unseen) {
    if (open.uses(bytes)) continue;
    const own = ownBytes(bytes);
    const outcome = outcomesCodec.decode(own);
    const { fault } = open.add(outcome, own);
    if (fault !== null) onInvalid(open, outcome, own, fault);
  }
}
