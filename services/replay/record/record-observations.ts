import type { Bus } from '#lib/bus/kafka';
import { requireValue } from '#lib/bus/message-value';
import type { UnixMs } from '#schemas/brands';
import { observationsCodec } from '#schemas/codec';
import type { PersonalHider } from '../recording/hide-personal';
import { ObservationsWriter } from '../recording/recorded-observations';
import type { UnreadMessage } from './topic-slices';

/** What happens to the orders of a round is known so long after it, at most. */
const LATER_MS = 4 * 3_600_000;
const SLICE_MS = 3_600_000;

export interface ObservationsRange {
  readonly bus: Pick<Bus, 'readRange'>;
  readonly topic: string;
  readonly folder: string;
  readonly hider: PersonalHider;
  /** Of the rounds; what has come in the four hours behind it counts, too. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
  onUnread(message: UnreadMessage): void;
}

/** All that was reported since `from`, anew at each call. Resolves to how many there are. */
export async function recordObservations(range: ObservationsRange): Promise<number> {
  const { bus, topic, hider, signal } = range;
  const writer = new ObservationsWriter(range.folder);
  const end = Math.min(Date.now(), range.to + LATER_MS);
  try {
    for (let from = range.from; from < end; from += SLICE_MS) {
      signal.throwIfAborted();
      const [first, last] = [from, Math.min(from + SLICE_MS, end)].map((timestamp) => ({ timestamp }));
      await bus.readRange({
        ...{ topic, from: first as { timestamp: UnixMs }, to: last as { timestamp: UnixMs } },
        handle: (message) => {
          const { partition, offset, timestamp: appendedAt } = message;
          try {
            const observation = hider.observation(observationsCodec.decode(requireValue(message)));
            writer.add({ appendedAt, observation });
          } catch (error) {
            range.onUnread({ topic, partition, offset, reason: (error as Error).message });
          }
        },
      });
    }
    writer.end();
    return writer.count;
  } catch (error) {
    writer.discard();
    throw error;
  }
}
