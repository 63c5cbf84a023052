import type { AssignmentCandidate, AssignmentProblem } from './problem';

/**
 * The candidates that are worth choosing, as columns with whole profits in doubles. Sums of the profits of
 * any solution stay below 2^52, so all arithmetic on them is exact: profits beyond that are divided by
 * 2^shift (rounded down), and each of the at most `rowLimit` chosen ones then loses less than 2^shift.
 */
export interface ProfitColumns {
  readonly courierCount: number;
  readonly orderCount: number;
  readonly count: number;
  /** Index of the column in the problem's `candidates`. */
  readonly candidate: Int32Array;
  readonly courier: Int32Array;
  readonly profit: Float64Array;
  /** Orders of column c: `orders[orderStart[c]] … orders[orderStart[c + 1] − 1]`. */
  readonly orderStart: Int32Array;
  readonly orders: Int32Array;
  readonly shift: number;
  /** Sum of the penalties of orders that stand in a column, in units of the profits (not exact). */
  readonly penaltySum: number;
  readonly rowLimit: number;
}

const EXACT_SUM = 2 ** 52;

/** Throws RangeError naming the candidate where the problem is not what `AssignmentProblem` says. */
export function profitColumns(problem: AssignmentProblem): ProfitColumns {
  const { candidates, courierCount, orderCount } = problem;
  if (problem.penalties.length !== orderCount) {
    throw new RangeError(`${problem.penalties.length} penalties for ${orderCount} orders`);
  }
  const slots = candidates.reduce((sum, candidate) => sum + candidate.orders.length, 0);
  const columns = {
    candidate: new Int32Array(candidates.length),
    courier: new Int32Array(candidates.length),
    profit: new Float64Array(candidates.length),
    orderStart: new Int32Array(candidates.length + 1),
    orders: new Int32Array(slots),
  };
  const rowLimit = Math.max(1, Math.min(courierCount, orderCount));
  const profits = wholeProfits(problem);
  const shift = shiftFor(profits, rowLimit);
  const lastSeen = new Int32Array(orderCount).fill(-1);
  let count = 0;
  let slot = 0;
  for (let index = 0; index < candidates.length; index++) {
    const candidate = candidates[index]!;
    checkCandidate(candidate, index, problem, lastSeen);
    const profit = shifted(profits[index]!, shift);
    if (profit <= 0) continue;
    columns.candidate[count] = index;
    columns.courier[count] = candidate.courier;
    columns.profit[count] = profit;
    for (const order of candidate.orders) columns.orders[slot++] = order;
    columns.orderStart[++count] = slot;
  }
  const penaltySum = coverablePenalty(problem, columns.orders.subarray(0, slot)) / 2 ** shift;
  return { ...columns, courierCount, orderCount, count, shift, penaltySum, rowLimit };
}

function checkCandidate(
  candidate: AssignmentCandidate,
  index: number,
  problem: AssignmentProblem,
  lastSeen: Int32Array,
): void {
  const { courier, orders } = candidate;
  if (!Number.isInteger(courier) || courier < 0 || courier >= problem.courierCount) {
    throw new RangeError(`candidate ${index}: courier ${courier} of ${problem.courierCount}`);
  }
  if (orders.length === 0) throw new RangeError(`candidate ${index} has no orders`);
  for (const order of orders) {
    if (!Number.isInteger(order) || order < 0 || order >= problem.orderCount) {
      throw new RangeError(`candidate ${index}: order ${order} of ${problem.orderCount}`);
    }
    if (lastSeen[order] === index) throw new RangeError(`candidate ${index}: order ${order} twice`);
    lastSeen[order] = index;
  }
}

/** Profits as safe integers where all of them are, else as bigints. */
function wholeProfits(problem: AssignmentProblem): readonly (number | bigint)[] {
  const penalties = problem.penalties.map(narrowed);
  return problem.candidates.map(({ orders, cost }) => {
    let profit = -Number(cost);
    let magnitude = Math.abs(profit);
    for (const order of orders) {
      const penalty = Number(penalties[order] ?? 0);
      profit += penalty;
      magnitude += Math.abs(penalty);
    }
    if (magnitude <= Number.MAX_SAFE_INTEGER) return profit;
    return orders.reduce((sum, order) => sum + BigInt(penalties[order] ?? 0), -BigInt(cost));
  });
}

function narrowed(value: number | bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function shiftFor(profits: readonly (number | bigint)[], rowLimit: number): number {
  let largest = 0;
  for (const profit of profits) largest = Math.max(largest, Number(profit));
  let shift = 0;
  while ((largest / 2 ** shift) * rowLimit >= EXACT_SUM) shift++;
  return shift;
}

function shifted(profit: number | bigint, shift: number): number {
  if (shift === 0) return Number(profit);
  return Number(BigInt(profit) >> BigInt(shift));
}

function coverablePenalty(problem: AssignmentProblem, orders: Int32Array): number {
  const seen = new Uint8Array(problem.orderCount);
  let sum = 0;
  for (const order of orders) {
    if (seen[order] === 0) sum += Number(problem.penalties[order]);
    seen[order] = 1;
  }
  return sum;
}
