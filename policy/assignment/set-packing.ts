import { startPrices } from './order-prices';
import { MOST_AT_ONCE, packMany } from './pack-many';
import { packRows, type PackingGoal } from './pack-rows';
import { PackingChoice } from './packing-choice';
import { packingRows } from './packing-rows';
import type { ProfitColumns } from './profit-columns';

/** Work of the default budget: a fixed part and a part a column. One unit is about 6 ns. */
const WORK_FIXED = 8_000_000;
const WORK_PER_COLUMN = 5_000;
/** Default of `closeEnough`. */
const CLOSE_ENOUGH = 0.0005;

export interface PackingLimits {
  /** Visits of a column. */
  readonly workBudget?: number;
  /** The search ends when the distance to the bound is below this share of the cost. */
  readonly closeEnough?: number;
  /** Asked in place of `policyPacker`. */
  readonly packer?: Packer;
}

export interface Packing {
  readonly columns: readonly number[];
  /** No solution has a larger profit. */
  readonly bound: number;
}

interface PackerLimits {
  readonly budget: number;
  readonly closeEnough: number;
}

/** What packs as `policyPacker` does, with an equal result, but faster. */
export type Packer = (columns: ProfitColumns, limits: PackerLimits) => Packing;

/**
 * Set packing of overlapping bundles: Lagrangian prices for the bound and for greedy choices, then exact
 * searches of small regions around what is lost against the bound. Stops when bound and choice meet or
 * the work budget is used up; the same input gives the same result.
 */
export function packBundles(columns: ProfitColumns, limits: PackingLimits = {}): Packing {
  const { workBudget, closeEnough = CLOSE_ENOUGH, packer } = limits;
  const budget = workBudget ?? WORK_FIXED + WORK_PER_COLUMN * columns.count;
  if (columns.count > MOST_AT_ONCE) return (packer ?? policyPacker)(columns, { budget, closeEnough });
  return packedBy(packAtOnce, columns, { budget, closeEnough });
}

/** For more columns than are packed at once; right for any number of them. */
export const policyPacker: Packer = (columns, limits) => packedBy(packMany, columns, limits);

function packedBy(
  pack: typeof packMany,
  columns: ProfitColumns,
  { budget, closeEnough }: PackerLimits,
): Packing {
  const goal = { budget, of: (bound: number) => goalOf(columns, bound, closeEnough) };
  const best = new PackingChoice(columns);
  const bound = pack(columns, best, goal);
  return { columns: best.chosen(), bound: Math.max(best.profit, Math.floor(bound)) };
}

function packAtOnce(columns: ProfitColumns, best: PackingChoice, goal: PackingGoal): number {
  const rows = packingRows(columns);
  return packRows(rows, best, goal, startPrices(columns, rows.priceStep)).bound;
}

/** Nothing whole above it, or close enough. */
function goalOf(columns: ProfitColumns, bound: number, closeEnough: number): number {
  return bound - Math.max(1 - Number.EPSILON, closeEnough * Math.max(0, columns.penaltySum - bound));
}
