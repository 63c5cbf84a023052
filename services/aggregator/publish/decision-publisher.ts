import { hostname } from 'node:os';
import type { BusProducer } from '#lib/bus/port';
import { RoundhouseError } from '#schemas/errors';
import type { Effort } from '#policy/join/decision-effort';
import { SLOW_KAFKA_MS } from '#schemas/outage-mark';
import { writePhases, type Phases } from '#schemas/phases';
import { headers as names, zoneKey, type Topics } from '#schemas/topics';
import type { Outage } from '../events';
import type { OpenRound } from '../join/open-round';
import type { BrokerClock } from './broker-clock';
import type { LoopStalls } from './loop-stalls';
import type { OutageLog } from './outage-log';

export interface DecisionToPublish {
  readonly bytes: Buffer;
  /** What its making took, where it was made here. */
  readonly phases: Phases;
  readonly effort: Effort;
}

function makingOf({ phases, effort }: DecisionToPublish): Record<string, string> {
  return {
    ...(Object.keys(phases).length > 0 && { [names.phases]: writePhases(phases) }),
    ...(effort !== 'full' && { [names.effort]: effort }),
  };
}

/**
 * Puts decisions on Kafka. A send that Kafka doesn't take is tried again for ever, then with the mark of the
 * outage where it comes too late by that.
 */
export class DecisionPublisher {
  private readonly host = hostname();

  constructor(
    private readonly producer: BusProducer,
    private readonly topics: Topics,
    private readonly outages: OutageLog,
    private readonly stalls: LoopStalls,
    private readonly clock: Pick<BrokerClock, 'brokersTime'>,
  ) {}

  /** Resolves to the mark once the decision is acknowledged; rejects with ROUND_TOO_LARGE or SHUTTING_DOWN. */
  async publish(
    open: OpenRound,
    decision: DecisionToPublish,
    mark: () => Outage | null,
  ): Promise<Outage | null> {
    const { tenantId, zoneId } = open.round;
    const closedAt = Date.now();
    for (;;) {
      const sentAt = Date.now();
      const outage = mark();
      try {
        const headers = { ...this.headersOf(open, { closedAt, sentAt, outage }), ...makingOf(decision) };
        const key = zoneKey(tenantId, zoneId);
        await this.producer.send([{ topic: this.topics.decisions, key, value: decision.bytes, headers }]);
        this.outages.over('kafka');
        return outage ?? this.heldUp(sentAt, open.round.deadline);
      } catch (error) {
        if (!(error instanceof RoundhouseError) || error.code !== 'DEPENDENCY_ABSENT') throw error;
        this.outages.began('kafka', sentAt);
      }
    }
  }

  /** What `outageOf` says of the record, as far as it is known here; a send that Kafka held up is an outage to others. */
  private heldUp(sentAt: number, deadline: number): Outage | null {
    const now = Date.now();
    if (now - sentAt - this.stalls.stalledMs(sentAt, now) <= SLOW_KAFKA_MS) return null;
    this.outages.happened('kafka', sentAt);
    return now > deadline ? 'kafka' : null;
  }

  private headersOf(
    open: OpenRound,
    { closedAt, sentAt, outage }: { closedAt: number; sentAt: number; outage: Outage | null },
  ): Record<string, string> {
    const { span, meta } = open.parts;
    const { tracestate, receivedAt } = meta;
    const traceparent = span?.traceparent ?? meta.traceparent;
    return {
      [names.host]: this.host,
      [names.closedAt]: String(closedAt),
      [names.sentAt]: String(this.clock.brokersTime(sentAt)),
      ...(traceparent !== null && { [names.traceparent]: traceparent }),
      ...(tracestate !== undefined && { [names.tracestate]: tracestate }),
      ...(receivedAt !== null && { [names.receivedAt]: receivedAt }),
      ...(outage !== null && { [names.outage]: outage }),
    };
  }
}
