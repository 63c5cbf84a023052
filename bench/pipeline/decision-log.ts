import type { Bus, Follower } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { decisionsCodec, outcomesCodec, roundsCodec } from '#schemas/codec';
import { headers, type Topics } from '#schemas/topics';
import { unionLength, type Interval } from './statistics';

/** What became of one round. Times are Unix ms. */
export interface RoundTrace {
  submittedAt: number;
  deadline: number;
  /** Why ingest refused it; null for an accepted round. */
  refusal: string | null;
  decidedAt: number | null;
  closedBy: 'complete' | 'deadline' | null;
  coverage: number;
  decisionBytes: number;
  /** Backend intervals by shard, Unix ms with fractions. */
  readonly backend: Interval[];
  candidatesSolved: number;
  readonly outcomeBytes: number[];
  /** Append times of the last message of each step. */
  readonly appended: { shards: number; manifest: number; outcomes: number };
}

/** A shard's key is its round's, joined by the unit separator, and its index. */
const roundIdOf = (message: BusMessage): string => message.key?.toString().split('\u001f')[2] ?? '';

/** Follows a round's messages on their four topics and notes them by round. */
export class DecisionLog {
  readonly rounds = new Map<string, RoundTrace>();
  duplicateDecisions = 0;
  private followers: Follower[] = [];

  async follow(bus: Bus, topics: Topics): Promise<void> {
    this.followers = [
      await bus.followTopic({
        topic: topics.shards,
        from: 'latest',
        handle: (m) => this.noteAppended('shards', m, roundIdOf(m)),
      }),
      await bus.followTopic({
        topic: topics.rounds,
        from: 'latest',
        handle: (m) => this.noteAppended('manifest', m, roundsCodec.decode(m.value!).round.roundId),
      }),
      await bus.followTopic({ topic: topics.outcomes, from: 'latest', handle: (m) => this.outcome(m) }),
      await bus.followTopic({ topic: topics.decisions, from: 'latest', handle: (m) => this.decision(m) }),
    ];
  }

  submitted(roundId: string, submittedAt: number, deadline: number): void {
    this.rounds.set(roundId, {
      submittedAt,
      deadline,
      refusal: null,
      decidedAt: null,
      closedBy: null,
      coverage: 0,
      decisionBytes: 0,
      backend: [],
      candidatesSolved: 0,
      outcomeBytes: [],
      appended: { shards: NaN, manifest: NaN, outcomes: NaN },
    });
  }

  refused(roundId: string, refusal: string): void {
    this.rounds.get(roundId)!.refusal = refusal;
  }

  private noteAppended(step: keyof RoundTrace['appended'], message: BusMessage, roundId: string): void {
    const trace = this.rounds.get(roundId);
    if (trace !== undefined) trace.appended[step] = message.timestamp;
  }

  private outcome(message: BusMessage): void {
    if (message.value === null) return;
    const outcome = outcomesCodec.decode(message.value);
    this.noteAppended('outcomes', message, outcome.roundId);
    const trace = this.rounds.get(outcome.roundId);
    const [start, end] = (message.headers[headers.backendInterval] ?? '')
      .split('-')
      .map((ns) => Number(ns) / 1e6);
    if (trace === undefined || start === undefined || end === undefined) return;
    trace.backend.push({ start, end });
    trace.candidatesSolved += outcome.candidateCount;
    trace.outcomeBytes[outcome.shardIndex] = message.value.length;
  }

  private decision(message: BusMessage): void {
    if (message.value === null) return;
    const { roundId, content } = decisionsCodec.decode(message.value);
    const trace = this.rounds.get(roundId);
    if (trace === undefined) return;
    if (trace.decidedAt !== null) {
      this.duplicateDecisions++;
      return;
    }
    trace.decidedAt = message.timestamp;
    trace.closedBy = content.closedBy;
    trace.coverage = content.coverage;
    trace.decisionBytes = message.value.length;
  }

  async close(): Promise<void> {
    for (const follower of this.followers) await follower.close();
  }
}

/** Milliseconds from submission to the decision's append time. */
export const decisionMs = (trace: RoundTrace): number => (trace.decidedAt ?? NaN) - trace.submittedAt;
/** Milliseconds in which at least one shard of the round was in the backend. */
export const engineMs = (trace: RoundTrace): number => unionLength(trace.backend);
