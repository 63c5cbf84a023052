import { disjointBundles } from './bundle-numbers';
import {
  costOf,
  tableOf,
  type AssignmentProblem,
  type AssignmentSolution,
  type AssignmentTable,
} from './problem';
import { profitColumns, type ProfitColumns } from './profit-columns';
import { packBundles, type PackingLimits } from './set-packing';
import { sparseGraph } from './sparse-graph';
import { SparseMatching } from './sparse-matching';

/** Bounds the work on overlapping bundles; the default budget grows with the problem. */
export type AssignOptions = PackingLimits;

/**
 * Chooses candidates of least cost. Disjoint bundles (any two order sets are equal or disjoint) are solved
 * exactly, overlapping ones by a bounded method whose distance from a proven bound is `gap`. Pure and
 * deterministic. Throws RangeError where the problem breaks its contract.
 */
export function assign(
  problem: AssignmentProblem | AssignmentTable,
  options: AssignOptions = {},
): AssignmentSolution {
  const table = 'candidates' in problem ? tableOf(problem) : problem;
  const columns = profitColumns(table);
  const bundles = disjointBundles(columns);
  const packed = bundles
    ? { columns: matchBundles(columns, bundles), bound: null }
    : packBundles(columns, options);
  const chosen = packed.columns.map((column) => columns.candidate[column]!).sort((a, b) => a - b);
  return { chosen, cost: costOf(table, chosen), gap: gapOf(columns, packed) };
}

function matchBundles(columns: ProfitColumns, bundles: { bundleOf: Int32Array; count: number }): number[] {
  const edges = {
    count: columns.count,
    row: columns.courier,
    column: bundles.bundleOf,
    weight: columns.profit,
  };
  const graph = sparseGraph(edges, { rows: columns.courierCount, columns: bundles.count });
  return new SparseMatching(graph).solve();
}

/** `bound` limits the profit of every solution in units of the columns; null: the chosen one is the largest. */
function gapOf(columns: ProfitColumns, packed: { columns: readonly number[]; bound: number | null }): bigint {
  const profit = packed.columns.reduce((sum, column) => sum + columns.profit[column]!, 0);
  const lost = columns.shift > 0 ? columns.rowLimit : 0;
  const difference = Math.max(0, (packed.bound ?? profit) - profit) + lost;
  return BigInt(difference) << BigInt(columns.shift);
}
