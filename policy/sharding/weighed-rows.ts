import type { Bundle, CandidateTable, PlanningView } from '../candidates/index';
import type { PredictedCost } from './predicted-cost';

/** A row without a bundle: a courier with what it holds, alone. */
export const NO_BUNDLE = -1;

/** Rows to be spread over the shards, with what each adds to a shard's cost. */
export interface WeighedRows {
  readonly count: number;
  readonly courier: Uint16Array;
  /** Index in `bundles`, or NO_BUNDLE. */
  readonly bundle: Int32Array;
  readonly cost: Float64Array;
  readonly bundles: readonly Bundle[];
}

/** Cost of each courier's base row; 0 where it holds nothing and so has none. */
export function baseCosts({ round, drives }: PlanningView, costOf: PredictedCost): Float64Array {
  return Float64Array.from(round.couriers, ({ held }, courier) =>
    held.length === 0 || !drives[courier] ? 0 : costOf(courier, []),
  );
}

/** All candidates, and then base rows of couriers without one. */
export function weighedRows(table: CandidateTable, bases: Float64Array, costOf: PredictedCost): WeighedRows {
  const alone = couriersAlone(table, bases);
  const count = table.count + alone.length;
  const courier = new Uint16Array(count);
  const bundle = new Int32Array(count).fill(NO_BUNDLE);
  const cost = new Float64Array(count);
  courier.set(table.courier);
  courier.set(alone, table.count);
  bundle.set(table.bundle);
  for (let row = 0; row < table.count; row += 1) {
    cost[row] = costOf(courier[row]!, table.bundles[bundle[row]!]!);
  }
  return { count, courier, bundle, cost, bundles: table.bundles };
}

function couriersAlone(table: CandidateTable, bases: Float64Array): number[] {
  const isOffered = new Uint8Array(bases.length);
  for (let row = 0; row < table.count; row += 1) isOffered[table.courier[row]!] = 1;
  const alone: number[] = [];
  for (let courier = 0; courier < bases.length; courier += 1) {
    if (bases[courier]! > 0 && isOffered[courier] === 0) alone.push(courier);
  }
  return alone;
}

/** The rows in another order: row r goes to `places[r]`. */
export function reordered(rows: WeighedRows, places: Int32Array): WeighedRows {
  const courier = new Uint16Array(rows.count);
  const bundle = new Int32Array(rows.count);
  const cost = new Float64Array(rows.count);
  for (let row = 0; row < places.length; row += 1) {
    const at = places[row]!;
    courier[at] = rows.courier[row]!;
    bundle[at] = rows.bundle[row]!;
    cost[at] = rows.cost[row]!;
  }
  return { count: rows.count, courier, bundle, cost, bundles: rows.bundles };
}
