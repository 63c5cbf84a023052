import { randomBytes } from 'node:crypto';
import type { Bus, Follower } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { decisionsCodec, outcomesCodec } from '#schemas/codec';
import { readPhases, type Phases } from '#schemas/phases';
import { headers, type Topics } from '#schemas/topics';
import { unionLength, type Interval } from './statistics';

/** A shard's way, Unix ms; those of the backend with fractions. */
export interface ShardTrace {
  appendedAt: number;
  backend: Interval | null;
  answeredAt: number;
  outcomeBytes: number;
}

/** What became of one round. Times are Unix ms. */
export interface RoundTrace {
  submittedAt: number;
  deadline: number;
  /** Why ingest refused it; null for an accepted round. */
  refusal: string | null;
  decidedAt: number | null;
  closedBy: 'complete' | 'deadline' | null;
  coverage: number;
  /** What the aggregator had time to put into the decision: `full`, `reduced` or `none`. */
  effort: string;
  assignments: number;
  decisionBytes: number;
  candidatesSolved: number;
  readonly shards: Map<number, ShardTrace>;
  /** When ingest had the whole body; append time of the manifest; when the aggregator had closed the round. */
  receivedAt: number;
  manifestAt: number;
  closedAt: number;
  /** When the aggregator gave the decision to Kafka, and the outage that it marked the decision with. */
  sentAt: number;
  outage: string | null;
  /** What ingest and aggregator say of the time that they took. */
  ingest: Phases;
  aggregator: Phases;
}

const traceOf = (message: BusMessage): string => message.headers[headers.traceparent]?.slice(3, 35) ?? '';
/** A shard's key is its round's, joined by the unit separator, and its index. */
const shardIndexOf = (message: BusMessage): number => Number(message.key?.toString().split('\u001f')[3]);

export function newTrace(submittedAt: number, deadline: number): RoundTrace {
  return {
    submittedAt,
    deadline,
    refusal: null,
    decidedAt: null,
    closedBy: null,
    coverage: 0,
    effort: 'full',
    assignments: 0,
    decisionBytes: 0,
    candidatesSolved: 0,
    shards: new Map(),
    receivedAt: NaN,
    manifestAt: NaN,
    closedAt: NaN,
    sentAt: NaN,
    outage: null,
    ingest: {},
    aggregator: {},
  };
}

/** Follows a round's messages on their four topics by the trace that its submission began. */
export class DecisionLog {
  readonly rounds = new Map<string, RoundTrace>();
  duplicateDecisions = 0;
  private readonly byTrace = new Map<string, RoundTrace>();
  private readonly waiting = new Map<string, () => void>();
  private followers: Follower[] = [];

  async follow(bus: Bus, topics: Topics): Promise<void> {
    const steps: [string, (trace: RoundTrace, message: BusMessage) => void][] = [
      [topics.shards, (trace, message) => this.shard(trace, message)],
      [topics.rounds, (trace, message) => this.manifest(trace, message)],
      [topics.outcomes, (trace, message) => this.outcome(trace, message)],
      [topics.decisions, (trace, message) => this.decision(trace, message)],
    ];
    for (const [topic, note] of steps) {
      const handle = (message: BusMessage): void => {
        const trace = this.byTrace.get(traceOf(message));
        if (trace !== undefined && message.value !== null) note(trace, message);
      };
      this.followers.push(await bus.followTopic({ topic, from: 'latest', handle }));
    }
  }

  /** Gives the trace context that the submission has to carry. */
  submitted(roundId: string, submittedAt: number, deadline: number): string {
    const traceId = randomBytes(16).toString('hex');
    const trace = newTrace(submittedAt, deadline);
    this.rounds.set(roundId, trace);
    this.byTrace.set(traceId, trace);
    return `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
  }

  refused(roundId: string, refusal: string): void {
    this.rounds.get(roundId)!.refusal = refusal;
  }

  private shardOf(trace: RoundTrace, index: number): ShardTrace {
    const known = trace.shards.get(index);
    if (known !== undefined) return known;
    const shard = { appendedAt: NaN, backend: null, answeredAt: NaN, outcomeBytes: 0 };
    trace.shards.set(index, shard);
    return shard;
  }

  private shard(trace: RoundTrace, message: BusMessage): void {
    this.shardOf(trace, shardIndexOf(message)).appendedAt = message.timestamp;
  }

  private manifest(trace: RoundTrace, message: BusMessage): void {
    trace.manifestAt = message.timestamp;
    trace.receivedAt = Number(message.headers[headers.receivedAt]);
    trace.ingest = readPhases(message.headers[headers.phases]);
  }

  private outcome(trace: RoundTrace, message: BusMessage): void {
    const { shardIndex, candidateCount, status } = outcomesCodec.decode(message.value!);
    const shard = this.shardOf(trace, shardIndex);
    shard.answeredAt = message.timestamp;
    shard.outcomeBytes = message.value!.length;
    const interval = message.headers[headers.backendInterval]?.split('-').map((ns) => Number(ns) / 1e6);
    if (interval === undefined) return;
    shard.backend = { start: interval[0]!, end: interval[1]! };
    if (status === 'solved') trace.candidatesSolved += candidateCount;
  }

  private decision(trace: RoundTrace, message: BusMessage): void {
    const { roundId, content } = decisionsCodec.decode(message.value!);
    if (trace.decidedAt !== null) {
      this.duplicateDecisions++;
      return;
    }
    trace.decidedAt = message.timestamp;
    trace.closedAt = Number(message.headers[headers.closedAt]);
    trace.sentAt = Number(message.headers[headers.sentAt]);
    trace.outage = message.headers[headers.outage] ?? null;
    trace.aggregator = readPhases(message.headers[headers.phases]);
    trace.effort = message.headers[headers.effort] ?? 'full';
    trace.closedBy = content.closedBy;
    trace.coverage = content.coverage;
    trace.assignments = content.assignments.filter(({ orderIds }) => orderIds.length > 0).length;
    trace.decisionBytes = message.value!.length;
    this.waiting.get(roundId)?.();
  }

  /** Resolves when the round's decision has come, or after the time given. */
  async decided(roundId: string, timeoutMs: number): Promise<void> {
    if (this.rounds.get(roundId)?.decidedAt !== null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.waiting.set(roundId, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.waiting.delete(roundId);
  }

  async close(): Promise<void> {
    for (const follower of this.followers) await follower.close();
  }
}

/** Milliseconds from submission to the decision's append time. */
export const decisionMs = (trace: RoundTrace): number => (trace.decidedAt ?? NaN) - trace.submittedAt;

const backendOf = ({ shards }: RoundTrace): Interval[] =>
  [...shards.values()].flatMap(({ backend }) => (backend === null ? [] : [backend]));
/** Milliseconds in which at least one shard of the round was in the backend. */
export const engineMs = (trace: RoundTrace): number => unionLength(backendOf(trace));
