import { outcomesCodec } from '#schemas/codec';
import type { JoinStore } from '../store/join-store';
import type { OpenRound } from './open-round';

/** Outcomes that stand in Redis and were not looked at yet: those of other instances among them. */
export async function pullOutcomes(open: OpenRound, store: Pick<JoinStore, 'outcomesFrom'>): Promise<void> {
  const from = open.pulled;
  takeOutcomes(open, await store.outcomesFrom(open.key, from), from);
}

/** `from`: the position of the first of them in the list. */
export function takeOutcomes(open: OpenRound, stored: readonly Buffer[], from: number): void {
  for (const bytes of stored) {
    const outcome = outcomesCodec.decode(bytes);
    if (!open.hasValid(outcome.shardIndex)) open.add(outcome, bytes);
  }
  open.pulled = Math.max(open.pulled, from + stored.length);
}
