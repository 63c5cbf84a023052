import { deadLetter, type LetterKept } from '#lib/bus/dead-letters';
import type { BusMessage, BusProducer, Lease } from '#lib/bus/port';
import { RoundhouseError } from '#schemas/errors';
import type { Topics } from '#schemas/topics';
import type { AggregatorEvents } from '../events';

/** Puts messages that can't be handled on dispatch.dead-letters, key and bytes unchanged. */
export class DeadLetterBox {
  constructor(
    private readonly producer: BusProducer,
    private readonly topics: Topics,
    private readonly events: AggregatorEvents,
  ) {}

  /** Waits through an outage of Kafka; gives up when the partition is lost, its next owner does it. */
  async put(message: BusMessage, lease: Lease, error: unknown): Promise<void> {
    let kept: LetterKept;
    for (;;) {
      try {
        kept = await deadLetter(this.producer, this.topics, message, error);
        break;
      } catch (failure) {
        const away = failure instanceof RoundhouseError && failure.code === 'DEPENDENCY_ABSENT';
        if (!away) throw failure;
        if (!lease.isOwned()) return;
      }
    }
    const { topic, partition, offset } = message;
    const code = error instanceof RoundhouseError ? error.code : 'INTERNAL';
    const reason = error instanceof Error ? error.message : String(error);
    this.events.MessageDeadLettered({ topic, partition, offset: offset.toString(), code, reason, kept });
  }
}
