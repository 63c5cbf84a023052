import { requireValue } from '#lib/bus/message-value';
import type { BusMessage, Lease } from '#lib/bus/port';
import { outcomesCodec } from '#schemas/codec';
import type { ShardOutcome } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { roundKey } from '#schemas/topics';
import type { AggregatorEvents } from '../events';
import type { RoundBook } from '../join/round-book';
import type { RoundCloser } from '../join/round-closer';
import type { JoinStore } from '../store/join-store';
import type { DeadLetterBox } from './dead-letter-box';

export interface OutcomeHandlerParts {
  readonly book: RoundBook;
  readonly store: JoinStore;
  readonly closer: RoundCloser;
  readonly deadLetters: DeadLetterBox;
  readonly events: AggregatorEvents;
}

/**
 * Handles dispatch.outcomes: the outcome goes into memory at once where its round is open here, and into
 * Redis; it resolves when Redis has it, or when the round is decided.
 */
export class OutcomeHandler {
  constructor(private readonly parts: OutcomeHandlerParts) {}

  async handle(message: BusMessage, lease: Lease): Promise<void> {
    let outcome: ShardOutcome;
    let bytes: Buffer;
    try {
      bytes = requireValue(message);
      outcome = outcomesCodec.decode(bytes);
    } catch (error) {
      return this.parts.deadLetters.put(message, lease, error);
    }
    const open = this.parts.book.get(roundKey(outcome));
    if (open === undefined) return this.storeEarly(outcome, bytes);
    const { use, fault } = open.add(outcome, bytes);
    this.report(outcome, use);
    this.parts.closer.outcomeAdded(open);
    if (use === 'used') await this.store(outcome, bytes, !open.parts.isOwned());
    if (use === 'invalid') {
      const reason = `outcome of shard ${outcome.shardIndex} of round ${outcome.roundId}: ${fault}`;
      await this.parts.deadLetters.put(message, lease, new RoundhouseError('PAYLOAD_INVALID', reason));
    }
  }

  /** The round isn't open here: whoever opens it, or has it open, will find the outcome. */
  private async storeEarly(outcome: ShardOutcome, bytes: Buffer): Promise<void> {
    const state = await this.store(outcome, bytes, true);
    this.report(outcome, state === 'decided' ? 'after_close' : 'early');
  }

  private store(outcome: ShardOutcome, bytes: Buffer, notify: boolean): Promise<string> {
    const shards = Math.max(outcome.shardCount, 1);
    return this.parts.store.append(roundKey(outcome), bytes, shards, notify);
  }

  private report({ runId, roundId, shardIndex, status }: ShardOutcome, use: string): void {
    this.parts.events.OutcomeReceived({ runId, roundId, shardIndex, status, use });
  }
}
