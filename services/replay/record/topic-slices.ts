import type { Bus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { requireValue } from '#lib/bus/message-value';
import type { UnixMs } from '#schemas/brands';
import { decisionsCodec, outcomesCodec, roundsCodec } from '#schemas/codec';
import type { Topics } from '#schemas/topics';
import type { RecordedHeader } from '../recording/recorded-round';
import type { RoundJoiner } from './join-rounds';

export interface Slice {
  /** Append times: from `from` on, before `to`. */
  readonly from: UnixMs;
  readonly to: UnixMs;
}

/** A message that can't be part of a recording. */
export interface UnreadMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly reason: string;
}

const headersOf = ({ headers }: BusMessage): RecordedHeader[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** Reads what stands on the three topics in a slice of time and gives it to the joiner. */
export class TopicSlices {
  constructor(
    private readonly bus: Pick<Bus, 'readRange'>,
    private readonly topics: Topics,
    private readonly joiner: RoundJoiner,
    private readonly onUnread: (message: UnreadMessage) => void,
  ) {}

  /** Resolves to the bytes that were read. Rounds are read where `rounds` is given, the others in any case. */
  async read(rounds: Slice | null, others: Slice): Promise<number> {
    const { joiner, topics } = this;
    const read = await Promise.all([
      rounds === null
        ? 0
        : this.topic(topics.rounds, rounds, (message) =>
            joiner.addRound({
              appendedAt: message.timestamp,
              headers: headersOf(message),
              manifest: roundsCodec.decode(requireValue(message)),
            }),
          ),
      this.topic(topics.outcomes, others, (message) =>
        joiner.addOutcome({
          appendedAt: message.timestamp,
          headers: headersOf(message),
          outcome: outcomesCodec.decode(requireValue(message)),
        }),
      ),
      this.topic(topics.decisions, others, (message) =>
        joiner.addDecision({
          appendedAt: message.timestamp,
          headers: headersOf(message),
          decision: decisionsCodec.decode(requireValue(message)),
        }),
      ),
    ]);
    return read.reduce((sum, bytes) => sum + bytes, 0);
  }

  private async topic(
    topic: string,
    { from, to }: Slice,
    add: (message: BusMessage) => void,
  ): Promise<number> {
    let bytes = 0;
    const handle = (message: BusMessage): void => {
      bytes += message.value?.length ?? 0;
      try {
        add(message);
      } catch (error) {
        const { partition, offset } = message;
        this.onUnread({ topic, partition, offset, reason: (error as Error).message });
      }
    };
    await this.bus.readRange({ topic, from: { timestamp: from }, to: { timestamp: to }, handle });
    return bytes;
  }
}
