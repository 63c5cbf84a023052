import type { Bus, Follower } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import { outageOf } from '#schemas/outage-mark';
import { headers } from '#schemas/topics';
import type { IngestEvents } from '../events';
import type { DecisionCache } from './decision-cache';

/** What goes on into an HTTP header; anybody may have written the record. */
function headerText(value: string | undefined): string | undefined {
  return value !== undefined && /^[\x21-\x7e]{1,64}$/.test(value) ? value : undefined;
}

function receive(message: BusMessage, cache: DecisionCache, events: IngestEvents): void {
  const { partition, offset } = message;
  try {
    if (!message.value) throw new Error('a record without a value');
    const decision = decisionsCodec.decode(message.value);
    const appendedAt = message.timestamp;
    const record = {
      decision,
      appendedAt,
      closedAt: headerText(message.headers[headers.closedAt]),
      outage: headerText(outageOf({ headers: message.headers, appendedAt, deadline: decision.deadline })),
    };
    const repeated = !cache.add(record, message.value);
    const { tenantId, runId, roundId } = decision;
    events.DecisionSeen({ tenantId, runId, roundId, repeated });
  } catch (error) {
    events.DecisionUnreadable({ partition, offset: offset.toString(), reason: (error as Error).message });
  }
}

/** Follows dispatch.decisions into the cache, from as far back as the cache keeps them. */
export function followDecisions(
  bus: Bus,
  topic: string,
  keptMs: number,
  cache: DecisionCache,
  events: IngestEvents,
): Promise<Follower> {
  return bus.followTopic({
    topic,
    from: { timestamp: (Date.now() - keptMs) as UnixMs },
    handle: (message) => receive(message, cache, events),
  });
}
