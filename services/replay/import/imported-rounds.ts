import { validateRound, defaultRoundLimits, idFault, MAX_INDEXED } from '#policy/validation/index';
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

/** Where the row of an order or a courier stands, where there are rows. */
export type RowOf = (kind: 'orders' | 'couriers', id: string) => string | undefined;

/** `orders[1].pickup.point` with the order's id, behind the place of its row. */
function placeIn(body: unknown, place: string, path: string, rowOf: RowOf): string {
  const [, kind, index] = /^(orders|couriers)\[(\d+)\]\./.exec(path) ?? [];
  if (kind !== 'orders' && kind !== 'couriers') return `${place} ${path}`;
  const one = (body as Record<string, Record<string, unknown>[]>)[kind]?.[Number(index)];
  const id = one?.[kind === 'orders' ? 'orderId' : 'courierId'];
  if (typeof id !== 'string' || idFault(id) !== null) return `${place} ${path}`;
  const row = rowOf(kind, id);
  return `${row === undefined ? '' : `${row}, `}${place} ${path} of ${kind.slice(0, -1)} ${id}`;
}

/** A round as a producer would send it, checked as ingest checks it; null with its faults where it has some. */
export function checkedRound(
  body: unknown,
  place: string,
  faults: ImportFaults,
  rowOf: RowOf = () => undefined,
): DispatchRound | null {
  const deadline = (body as { deadline?: unknown } | null)?.deadline;
  const now = typeof deadline === 'number' && Number.isFinite(deadline) ? deadline - IMPORTED_LEAD_MS : 0;
  const read = validateRound(body, now as UnixMs, limits);
  if (read.kind !== 'invalid') return read.round;
  for (const { path, value, limit } of read.faults)
    faults.add(placeIn(body, place, path, rowOf), value, limit);
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
