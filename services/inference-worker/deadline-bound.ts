import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';

/** Ingest takes rounds at most a day ahead, by configuration less; clocks differ by far less than another day. */
const farthestAheadMs = 2 * 86_400_000;

/** Throws PAYLOAD_INVALID: a shard must not occupy a worker for years. */
export function requireNearDeadline(deadline: UnixMs, now: number = Date.now()): void {
  if (deadline - now <= farthestAheadMs) return;
  const limit = `at most ${farthestAheadMs} ms after now`;
  const fault = { path: 'deadline', value: String(deadline), limit };
  throw new RoundhouseError('PAYLOAD_INVALID', `deadline ${deadline}: ${limit}`, [fault]);
}
