import type { Bus, Follower } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import { outageOf } from '#schemas/outage-mark';
import { readPhases } from '#schemas/phases';
import { headers } from '#schemas/topics';
import type { IngestEvents } from '../events';
import type { LeadNeed } from '../lead/lead-need';
import type { DecisionCache } from './decision-cache';

/** What goes on into an HTTP header; anybody may have written the record. */
function headerText(value: string | undefined): string | undefined {
  return value !== undefined && /^[\x21-\x7e]{1,64}$/.test(value) ? value : undefined;
}

interface Readers {
  readonly cache: DecisionCache;
  readonly events: IngestEvents;
  readonly lead: Pick<LeadNeed, 'decided'>;
}

const timeIn = ({ headers: all }: BusMessage, name: string): number => Number(all[name] ?? NaN);

function receive(message: BusMessage, { cache, events, lead }: Readers): void {
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
    const { tenantId, runId, roundId, deadline } = decision;
    const closedAt = timeIn(message, headers.closedAt);
    const receivedAt = timeIn(message, headers.receivedAt);
    const phases = readPhases(message.headers[headers.phases]);
    if (!repeated)
      lead.decided({ receivedAt, closedAt, appendedAt, phases, deadline, outage: record.outage });
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
  readers: Readers,
): Promise<Follower> {
  return bus.followTopic({
    topic,
    from: { timestamp: (Date.now() - keptMs) as UnixMs },
    handle: (message) => receive(message, readers),
  });
}
