import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetter } from '#lib/bus/dead-letters';
import { requireValue } from '#lib/bus/message-value';
import type { BusMessage, BusProducer, Lease, OutgoingMessage } from '#lib/bus/port';
import { noTracer, type Tracer } from '#lib/tracing/tracer';
import { outcomesCodec, shardsCodec } from '#schemas/codec';
import type { Shard, ShardOutcome } from '#schemas/domain';
import { isDeadLettered, RoundhouseError, type ErrorCode } from '#schemas/errors';
import { headers as headerNames, parseShardKey, roundKey, type Topics } from '#schemas/topics';
import type { WorkerEvents } from './events';
import { failedOutcome, unreadableOutcome } from './outcome';
import type { Placement } from './placement/placement';
import { nowNs, type ShardTrace, type TracedWork } from './scheduling/shard-trace';
import { ShardSpan } from './shard-span';
import { Suspects } from './sentinel/suspects';
import { solveShard, type SolvedShard } from './solve-shard';

export interface ShardConsumerParts {
  readonly topics: Topics;
  readonly producer: BusProducer;
  readonly placement: Placement;
  /** While work is left to other workers. */
  whyHandedOver(): string | null;
  readonly events: WorkerEvents;
  readonly trace?: ShardTrace;
  readonly tracer?: Tracer;
  readonly startMarginMs: number;
}

const leasePollMs = 20;

function tracedOf({ roundId, shardIndex, model }: Shard): TracedWork {
  return { roundId, shardIndex, model: model.name };
}

type Headers = Record<string, string>;

function outcomeTooLarge(cause: RoundhouseError): RoundhouseError {
  const settings = "ROUNDHOUSE_MAX_MESSAGE_BYTES and its topic's max.message.bytes say how large it may be";
  const message = `its outcome is too large: ${cause.message}; ${settings}`;
  return new RoundhouseError('ROUND_TOO_LARGE', message, [], { cause });
}

/**
 * Handles one message of dispatch.shards: its outcome is acknowledged by the brokers before the promise
 * resolves, and only then may the offset be committed.
 */
export class ShardConsumer {
  private readonly host = hostname();
  private readonly suspects = new Suspects();

  constructor(private readonly parts: ShardConsumerParts) {}

  async handle(message: BusMessage, lease: Lease): Promise<void> {
    const receivedAt = performance.now();
    const receivedNs = this.parts.trace === undefined ? 0n : nowNs();
    const span = new ShardSpan(this.parts.tracer ?? noTracer, message);
    let shard: Shard;
    try {
      shard = shardsCodec.decode(requireValue(message));
    } catch (error) {
      span.end(null, String(error));
      return this.refuse(message, lease, error);
    }
    this.parts.trace?.own(tracedOf(shard), 'decode', receivedNs, nowNs());
    this.phaseEnded(shard, 'decode', receivedAt, span);
    span.decoded(shard);
    const solved = await this.solve(shard, lease, span);
    if (solved === null) return span.end(null, 'left to another worker');
    const { interval, fault } = solved;
    // Before its outcome: a decision may then say that the letter is there.
    if (fault !== null && isDeadLettered(fault.code)) await this.deadLetter(message, lease, fault);
    const headers: Headers = { [headerNames.host]: this.host, ...span.headers() };
    if (interval !== null) headers[headerNames.backendInterval] = interval;
    const encoded = this.outcomeMessage(solved.outcome, headers);
    solved.release?.();
    const publishedFrom = performance.now();
    const tooLarge = await this.publishTraced(shard, encoded, lease);
    const outcome = tooLarge === null ? solved.outcome : failedOutcome(shard, tooLarge.code);
    if (tooLarge !== null) await this.publishInstead(message, outcome, tooLarge, lease);
    this.phaseEnded(shard, 'publish', publishedFrom, span);
    this.report(outcome, shard.model.name, receivedAt, span.traceId);
    span.end(outcome, (tooLarge ?? fault)?.code);
  }

  /** For an outcome that Kafka never takes. Where it takes not even this one, the letter is all there is. */
  private async publishInstead(
    message: BusMessage,
    outcome: ShardOutcome,
    tooLarge: RoundhouseError,
    lease: Lease,
  ): Promise<void> {
    await this.deadLetter(message, lease, tooLarge);
    const { traceparent } = this.headersFor(message);
    const headers = { [headerNames.host]: this.host, ...(traceparent !== undefined && { traceparent }) };
    await this.publish(this.outcomeMessage(outcome, headers), lease);
  }

  private phaseEnded(shard: Shard, phase: 'decode' | 'publish', from: number, span: ShardSpan): void {
    const seconds = (performance.now() - from) / 1_000;
    this.parts.events.PhaseEnded({ model: shard.model.name, phase, seconds, traceId: span.traceId });
    span.step(phase, seconds);
  }

  /** null: the partition is another worker's by now, and so is the shard. */
  private async solve(shard: Shard, lease: Lease, span: ShardSpan): Promise<SolvedShard | null> {
    const { placement, startMarginMs, events } = this.parts;
    const { suspects } = this;
    for (;;) {
      const solved = await solveShard(shard, {
        placement,
        suspects,
        startMarginMs,
        traceparent: span.inferenceBegins(),
        onResent: ({ runId, roundId, shardIndex }, code) => {
          events.ShardResent({ runId, roundId, shardIndex, code });
          span.event('sent again', { code });
        },
        onGivenUp: ({ runId, roundId, shardIndex }, reason) =>
          events.ShardGivenUp({ runId, roundId, shardIndex, reason }),
      });
      span.inferenceEnds(solved?.outcome ?? null);
      if (solved !== null || !(await this.isKept(lease))) return solved;
    }
  }

  /** Waits until the partition is another worker's, or this one takes work again. */
  private async isKept(lease: Lease): Promise<boolean> {
    while (lease.isOwned() && this.parts.whyHandedOver() !== null) await sleep(leasePollMs);
    return lease.isOwned();
  }

  private headersFor(message: BusMessage): Headers {
    return { [headerNames.host]: this.host, ...new ShardSpan(noTracer, message).headers() };
  }

  private outcomeMessage(outcome: ShardOutcome, headers: Headers): OutgoingMessage {
    const { outcomes } = this.parts.topics;
    return { topic: outcomes, key: roundKey(outcome), value: outcomesCodec.encode(outcome), headers };
  }

  /** Unreadable: dead-lettered, and failed for the round where the key says which shard it was. */
  private async refuse(message: BusMessage, lease: Lease, error: unknown): Promise<void> {
    const code = await this.deadLetter(message, lease, error);
    const key = parseShardKey(message.key?.toString() ?? '');
    if (key !== null) {
      const outcome = unreadableOutcome(key, code);
      await this.publish(this.outcomeMessage(outcome, this.headersFor(message)), lease);
    }
  }

  private async deadLetter(message: BusMessage, lease: Lease, error: unknown): Promise<ErrorCode> {
    const { producer, topics, events } = this.parts;
    const code: ErrorCode = error instanceof RoundhouseError ? error.code : 'INTERNAL';
    const reason = error instanceof Error ? error.message : String(error);
    const kept = await this.untilTaken(lease, () => deadLetter(producer, topics, message, error));
    if (kept === null) return code;
    const { topic, partition, offset } = message;
    events.ShardDeadLettered({ topic, partition, offset: offset.toString(), code, reason, kept });
    return code;
  }

  private async publishTraced(
    shard: Shard,
    message: OutgoingMessage,
    lease: Lease,
  ): Promise<RoundhouseError | null> {
    const { trace } = this.parts;
    if (trace === undefined) return this.publish(message, lease);
    const startNs = nowNs();
    const tooLarge = await this.publish(message, lease);
    trace.own(tracedOf(shard), 'publish', startNs, nowNs());
    return tooLarge;
  }

  /** What comes back is why Kafka never takes it. */
  private async publish(message: OutgoingMessage, lease: Lease): Promise<RoundhouseError | null> {
    try {
      await this.untilTaken(lease, () => this.parts.producer.send([message]));
      return null;
    } catch (error) {
      if (error instanceof RoundhouseError && error.code === 'ROUND_TOO_LARGE') return outcomeTooLarge(error);
      throw error;
    }
  }

  /**
   * Kafka being away is no reason to give a result up; losing the partition is: its next owner does it, and
   * null comes back.
   */
  private async untilTaken<T>(lease: Lease, send: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const away = error instanceof RoundhouseError && error.code === 'DEPENDENCY_ABSENT';
        if (!away) throw error;
        if (!lease.isOwned()) return null;
      }
    }
  }

  private report(outcome: ShardOutcome, model: string, receivedAt: number, traceId?: string): void {
    const { runId, roundId, shardIndex, status, errorCode, candidateCount } = outcome;
    const { events } = this.parts;
    events.ShardFinished({
      runId,
      roundId,
      shardIndex,
      status,
      code: errorCode ?? 'none',
      model,
      candidates: candidateCount,
      seconds: (performance.now() - receivedAt) / 1_000,
      traceId,
    });
    if (status === 'solved') events.CandidatesCosted({ model, candidates: candidateCount });
  }
}
