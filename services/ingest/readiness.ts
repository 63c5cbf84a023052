import type { Bus } from '#lib/bus/kafka';
import type { ReadinessCheck, ReadinessChecks } from '#lib/health';
import type { RoundClaims } from './store/round-claims';

const KAFKA_TIMEOUT_MS = 1_500;
/** A probe opens a connection, so its answer is used again for a while. */
const PROBE_LASTS_MS = 2_000;

function lasting(check: () => Promise<string | null>): ReadinessCheck {
  let last: { at: number; answer: Promise<string | null> } | undefined;
  return () => {
    if (!last || Date.now() - last.at > PROBE_LASTS_MS) last = { at: Date.now(), answer: check() };
    return last.answer;
  };
}

async function reasonOf(attempt: Promise<unknown>): Promise<string | null> {
  try {
    await attempt;
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Ready while Kafka answers and Redis takes what is written. */
export function ingestChecks(bus: Bus, claims: RoundClaims): ReadinessChecks {
  return {
    kafka: lasting(() => reasonOf(bus.waitUntilReady(KAFKA_TIMEOUT_MS))),
    redis: () => reasonOf(claims.tryWrite()),
  };
}
