import type { Bus, Follower } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { decisionsCodec, outcomesCodec } from '#schemas/codec';
import { headers, type Topics } from '#schemas/topics';

/** What is known of one shard. Times are Unix ms. */
export interface ShardTrace {
  readonly roundId: string;
  /** Append time of its first outcome, whatever that is. */
  firstOutcomeAt: number | null;
  outcomes: number;
}

export interface GoodOutcome {
  readonly startedAt: number;
  readonly appendedAt: number;
}

const roundIdOf = (message: BusMessage): string => message.key?.toString().split('\u001f')[2] ?? '';

/** Every shard and every outcome of it; and decisions that used something twice. */
export class ShardLog {
  readonly shards = new Map<string, ShardTrace>();
  /** Solved ones in the order of their arrival, by when the backend began with them. */
  readonly good: GoodOutcome[] = [];
  duplicatesUsed = 0;
  private readonly decided = new Map<string, string>();
  private followers: Follower[] = [];

  async follow(bus: Bus, topics: Topics): Promise<void> {
    const from = 'latest' as const;
    this.followers = [
      await bus.followTopic({
        topic: topics.shards,
        from,
        handle: (m) => void this.trace(m.key!.toString(), m),
      }),
      await bus.followTopic({ topic: topics.outcomes, from, handle: (m) => this.outcome(m) }),
      await bus.followTopic({ topic: topics.decisions, from, handle: (m) => this.decision(m) }),
    ];
  }

  private trace(key: string, message: BusMessage): ShardTrace {
    let trace = this.shards.get(key);
    if (trace === undefined) {
      trace = { roundId: roundIdOf(message), firstOutcomeAt: null, outcomes: 0 };
      this.shards.set(key, trace);
    }
    return trace;
  }

  private outcome(message: BusMessage): void {
    if (message.value === null) return;
    const { tenantId, runId, roundId, shardIndex, status } = outcomesCodec.decode(message.value);
    const trace = this.trace([tenantId, runId, roundId, shardIndex].join('\u001f'), message);
    trace.outcomes += 1;
    trace.firstOutcomeAt ??= message.timestamp;
    const startedNs = (message.headers[headers.backendInterval] ?? '').split('-')[0]!;
    if (status !== 'solved' || startedNs === '') return;
    this.good.push({ startedAt: Number(startedNs) / 1e6, appendedAt: message.timestamp });
  }

  /** A shard counted twice, or a second decision of a round that says something else. */
  private decision(message: BusMessage): void {
    if (message.value === null) return;
    const { roundId, decisionId, content } = decisionsCodec.decode(message.value);
    const known = this.decided.get(roundId);
    this.decided.set(roundId, decisionId);
    if (known !== undefined) {
      if (known !== decisionId) this.duplicatesUsed += 1;
      return;
    }
    const indices = content.shards.map(({ shardIndex }) => shardIndex);
    this.duplicatesUsed += indices.length - new Set(indices).size;
    if (content.candidatesArrived > content.candidatesTotal) this.duplicatesUsed += 1;
  }

  async close(): Promise<void> {
    for (const follower of this.followers) await follower.close();
  }
}
