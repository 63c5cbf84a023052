import { validateRound, defaultRoundLimits, MAX_INDEXED } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import type { RecordedRound } from '../recording/recorded-round';
import type { ImportFaults } from './import-faults';

/** What an imported round has from its arrival to its deadline; a replay gives it another. */
export const IMPORTED_LEAD_MS = 10_000;

const limits = {
  ...defaultRoundLimits,
  maxCouriers: MAX_INDEXED,
  maxOrders: MAX_INDEXED,
  minLeadMs: 0,
};

/** A round as a producer would send it, checked as ingest checks it; null with its faults where it has some. */
export function checkedRound(body: unknown, place: string, faults: ImportFaults): DispatchRound | null {
  const deadline = (body as { deadline?: unknown } | null)?.deadline;
  const now = typeof deadline === 'number' && Number.isFinite(deadline) ? deadline - IMPORTED_LEAD_MS : 0;
  const read = validateRound(body, now as UnixMs, limits);
  if (read.kind !== 'invalid') return read.round;
  for (const { path, value, limit } of read.faults) faults.add(`${place} ${path}`, value, limit);
  faults.count += read.count - read.faults.length;
  return null;
}

/** Not cut, no models, no decision: a run cuts it and takes today's models. */
export function importedRound(round: DispatchRound): RecordedRound {
  return {
    appendedAt: (round.deadline - IMPORTED_LEAD_MS) as UnixMs,
    headers: [],
    manifest: { round, models: [], shardCount: 0, shardCandidateCounts: [], shardOrders: [] },
    outcomes: [],
    decision: null,
    faults: [],
  };
}
