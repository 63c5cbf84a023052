import type { Bus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import type { Topics } from '#schemas/topics';
import type { OpsEvents } from '../events';
import { readDecision, readManifest } from './read-records';
import type { RoundLog } from './round-log';

/** An idle deployment is asked seldom. Its readers are closed only when what they wait for is over. */
const MAX_WAIT_MS = 3_000;
/** What is read twice is known already; clocks of ours and of the brokers may differ. */
const OVERLAP_MS = 5_000;

/**
 * Follows manifests and decisions outside of any group of the pipeline, from `since` on; nothing is committed. Rejects
 * where it follows neither.
 */
export async function followRounds(
  bus: Pick<Bus, 'followTopic' | 'readRange'>,
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
  const decision = reading((message) => rounds.decision(readDecision(message)));
  const manifest = reading((message) => rounds.manifest(readManifest(message)));
  const startedAt = Date.now();
  // Decisions first: a round that is decided already must not look as if it waited.
  await bus.readRange({ topic: topics.decisions, from: { timestamp: since }, handle: decision });
  const from = { timestamp: (startedAt - OVERLAP_MS) as UnixMs };
  const decisions = { topic: topics.decisions, from, handle: decision, maxWaitMs: MAX_WAIT_MS };
  const follower = await bus.followTopic(decisions);
  try {
    const manifests = { topic: topics.rounds, from: { timestamp: since }, handle: manifest };
    await bus.followTopic({ ...manifests, maxWaitMs: MAX_WAIT_MS });
  } catch (error) {
    await follower.close();
    throw error;
  }
}
