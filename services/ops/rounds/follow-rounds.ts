import type { Bus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import type { Topics } from '#schemas/topics';
import type { OpsEvents } from '../events';
import { readDecision, readManifest } from './read-records';
import type { RoundLog } from './round-log';

/** An idle deployment is asked seldom. */
const MAX_WAIT_MS = 1_000;

/**
 * Follows manifests and decisions outside of any group of the pipeline, from `since` on; nothing is committed. Rejects
 * where it follows neither.
 */
export async function followRounds(
  bus: Pick<Bus, 'followTopic'>,
  topics: Topics,
  rounds: RoundLog,
  since: UnixMs,
  events: OpsEvents,
): Promise<void> {
  const reading = (note: (message: BusMessage) => void) => (message: BusMessage) => {
    try {
      note(message);
    } catch (error) {
      const { topic, partition, offset } = message;
      const reason = error instanceof Error ? error.message : String(error);
      events.RecordUnreadable({ topic, partition, offset: String(offset), reason });
    }
  };
  const from = { timestamp: since };
  const manifests = reading((message) => rounds.manifest(readManifest(message)));
  const decisions = reading((message) => rounds.decision(readDecision(message)));
  const shared = { from, maxWaitMs: MAX_WAIT_MS };
  const first = await bus.followTopic({ ...shared, topic: topics.rounds, handle: manifests });
  try {
    await bus.followTopic({ ...shared, topic: topics.decisions, handle: decisions });
  } catch (error) {
    await first.close();
    throw error;
  }
}
