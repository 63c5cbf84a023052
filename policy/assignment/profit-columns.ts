import { profitOf, type AssignmentTable } from './problem';

/**
 * The candidates that are worth choosing, as columns with whole profits in doubles. Sums of the profits of
 * any solution stay below 2^52, so all arithmetic on them is exact: profits beyond that are divided by
 * 2^shift (rounded down), and each of the at most `rowLimit` chosen ones then loses less than 2^shift.
 */
export interface ProfitColumns {
  readonly courierCount: number;
  readonly orderCount: number;
  readonly count: number;
  /** Index of the column among the problem's candidates. */
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

/**
 * A spread object has another hidden class once the code around it is compiled, and all that was compiled for the first
 * one is thrown away: so all columns are made by this one literal.
 */
export function ofOneShape(columns: ProfitColumns): ProfitColumns {
  return {
    courierCount: columns.courierCount,
    orderCount: columns.orderCount,
    count: columns.count,
    candidate: columns.candidate,
    courier: columns.courier,
    profit: columns.profit,
    orderStart: columns.orderStart,
    orders: columns.orders,
    shift: columns.shift,
    penaltySum: columns.penaltySum,
    rowLimit: columns.rowLimit,
  };
}

const EXACT_SUM = 2 ** 52;

/** Throws RangeError for another count of penalties than of orders. */
export function profitColumns(problem: AssignmentTable): ProfitColumns {
  const { courierCount, orderCount } = problem;
  if (problem.penalties.length !== orderCount) {
    throw new RangeError(`${problem.penalties.length} penalties for ${orderCount} orders`);
  }
  const rowLimit = Math.max(1, Math.min(courierCount, orderCount));
  const { profit, isSafe } = profitsOf(problem);
  const shift = isSafe ? shiftFor(profit, rowLimit) : shrink(problem, profit, rowLimit);
  if (isSafe && shift > 0)
    for (let i = 0; i < profit.length; i++) profit[i] = Math.floor(profit[i]! / 2 ** shift);
  const columns = worthwhile(problem, profit);
  const penaltySum = coverablePenalty(problem, columns.orders) / 2 ** shift;
  return ofOneShape({ ...columns, courierCount, orderCount, shift, penaltySum, rowLimit });
}

/** The profit of every candidate, in doubles; `isSafe` where all of them and their terms are safe integers. */
function profitsOf({ count, orderStart, orders, cost: costs, penalties }: AssignmentTable): {
  profit: Float64Array;
  isSafe: boolean;
} {
  const penalty = Float64Array.from(penalties, Number);
  const profit = new Float64Array(count);
  let largest = 0;
  for (let index = 0; index < count; index++) {
    const cost = Number(costs[index]!);
    let gain = -cost;
    let magnitude = Math.abs(cost);
    for (let slot = orderStart[index]!; slot < orderStart[index + 1]!; slot++) {
      gain += penalty[orders[slot]!]!;
      magnitude += penalty[orders[slot]!]!;
    }
    profit[index] = gain;
    if (magnitude > largest) largest = magnitude;
  }
  return { profit, isSafe: largest <= Number.MAX_SAFE_INTEGER };
}

/** Profits beyond doubles: exact in bigints, then divided by 2^shift; gives the shift. */
function shrink(problem: AssignmentTable, profit: Float64Array, rowLimit: number): number {
  const exact = Array.from(profit, (_, index) => profitOf(problem, index));
  for (const [index, value] of exact.entries()) profit[index] = Number(value);
  const shift = shiftFor(profit, rowLimit);
  for (const [index, value] of exact.entries()) profit[index] = Number(value >> BigInt(shift));
  return shift;
}

function shiftFor(profit: Float64Array, rowLimit: number): number {
  let largest = 0;
  for (let i = 0; i < profit.length; i++) if (profit[i]! > largest) largest = profit[i]!;
  let shift = 0;
  while ((largest / 2 ** shift) * rowLimit >= EXACT_SUM) shift++;
  return shift;
}

/** The candidates of a profit above 0 as columns. */
function worthwhile(table: AssignmentTable, profits: Float64Array) {
  let count = 0;
  let slots = 0;
  for (let index = 0; index < profits.length; index++) {
    if (profits[index]! <= 0) continue;
    count++;
    slots += table.orderStart[index + 1]! - table.orderStart[index]!;
  }
  const candidate = new Int32Array(count);
  const courier = new Int32Array(count);
  const profit = new Float64Array(count);
  const orderStart = new Int32Array(count + 1);
  const orders = new Int32Array(slots);
  let column = 0;
  let slot = 0;
  for (let index = 0; index < profits.length; index++) {
    if (profits[index]! <= 0) continue;
    candidate[column] = index;
    courier[column] = table.courier[index]!;
    profit[column] = profits[index]!;
    for (let from = table.orderStart[index]!; from < table.orderStart[index + 1]!; from++) {
      orders[slot++] = table.orders[from]!;
    }
    orderStart[++column] = slot;
  }
  return { count, candidate, courier, profit, orderStart, orders };
}

function coverablePenalty(problem: AssignmentTable, orders: Int32Array): number {
  const seen = new Uint8Array(problem.orderCount);
  let sum = 0;
  for (let slot = 0; slot < orders.length; slot++) {
    const order = orders[slot]!;
    if (seen[order] === 0) sum += Number(problem.penalties[order]);
    seen[order] = 1;
  }
  return sum;
}
