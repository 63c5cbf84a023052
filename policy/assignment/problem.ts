/** One courier with one order bundle; `cost` is the marginal cost of taking it. */
export interface AssignmentCandidate {
  /** 0..courierCount − 1 */
  readonly courier: number;
  /** Distinct, each 0..orderCount − 1, at least one. */
  readonly orders: readonly number[];
  /** A safe integer or a bigint. */
  readonly cost: number | bigint;
}

interface Shape {
  readonly courierCount: number;
  readonly orderCount: number;
  /** Per order the cost of leaving it out; safe integers or bigints, at least 0. */
  readonly penalties: readonly (number | bigint)[];
}

/** Each courier takes at most one candidate; each order lies in at most one chosen candidate. */
export interface AssignmentProblem extends Shape {
  readonly candidates: readonly AssignmentCandidate[];
}

/** The same in columns, for problems of hundreds of thousands of candidates; its maker has checked the indices. */
export interface AssignmentTable extends Shape {
  readonly count: number;
  readonly courier: Int32Array;
  /** Orders of candidate c: `orders[orderStart[c]] … orders[orderStart[c + 1] − 1]`. */
  readonly orderStart: Int32Array;
  readonly orders: Int32Array;
  /** Doubles where all of them are safe integers. */
  readonly cost: Float64Array | readonly bigint[];
}

export interface AssignmentSolution {
  /** Indices of candidates, ascending. */
  readonly chosen: readonly number[];
  /** Costs of the chosen candidates plus penalties of the orders left out. */
  readonly cost: bigint;
  /** cost − gap is a proven lower bound of every solution's cost; 0 where `chosen` is proven optimal. */
  readonly gap: bigint;
}

/** Throws RangeError naming the candidate where the problem is not what `AssignmentProblem` says. */
export function tableOf(problem: AssignmentProblem): AssignmentTable {
  const { candidates, courierCount, orderCount, penalties } = problem;
  const slots = candidates.reduce((sum, { orders }) => sum + orders.length, 0);
  const courier = new Int32Array(candidates.length);
  const orderStart = new Int32Array(candidates.length + 1);
  const orders = new Int32Array(slots);
  const lastSeen = new Int32Array(orderCount).fill(-1);
  for (let index = 0, slot = 0; index < candidates.length; index++) {
    const candidate = candidates[index]!;
    checkCandidate(candidate, index, problem, lastSeen);
    courier[index] = candidate.courier;
    for (let i = 0; i < candidate.orders.length; i++) orders[slot++] = candidate.orders[i]!;
    orderStart[index + 1] = slot;
  }
  const shape = { courierCount, orderCount, penalties };
  return { ...shape, count: candidates.length, courier, orderStart, orders, cost: costsOf(candidates) };
}

function checkCandidate(
  { courier, orders }: AssignmentCandidate,
  index: number,
  problem: AssignmentProblem,
  lastSeen: Int32Array,
): void {
  if (!Number.isInteger(courier) || courier < 0 || courier >= problem.courierCount) {
    throw new RangeError(`candidate ${index}: courier ${courier} of ${problem.courierCount}`);
  }
  if (orders.length === 0) throw new RangeError(`candidate ${index} has no orders`);
  for (let i = 0; i < orders.length; i++) {
    const order = orders[i]!;
    if (!Number.isInteger(order) || order < 0 || order >= problem.orderCount) {
      throw new RangeError(`candidate ${index}: order ${order} of ${problem.orderCount}`);
    }
    if (lastSeen[order] === index) throw new RangeError(`candidate ${index}: order ${order} twice`);
    lastSeen[order] = index;
  }
}

function costsOf(candidates: readonly AssignmentCandidate[]): Float64Array | bigint[] {
  const costs = new Float64Array(candidates.length);
  for (let index = 0; index < candidates.length; index++) {
    costs[index] = Number(candidates[index]!.cost);
    if (!Number.isSafeInteger(costs[index])) return candidates.map(({ cost }) => BigInt(cost));
  }
  return costs;
}

/** Cost of a choice; also the checker's definition of the objective. */
export function costOf(problem: AssignmentProblem | AssignmentTable, chosen: readonly number[]): bigint {
  let cost = problem.penalties.reduce<bigint>((sum, penalty) => sum + BigInt(penalty), 0n);
  for (const index of chosen) cost -= profitOf(problem, index);
  return cost;
}

/** What choosing a candidate saves: the penalties of its orders minus its cost. */
export function profitOf(problem: AssignmentProblem | AssignmentTable, index: number): bigint {
  const { orders, cost } = candidateOf(problem, index);
  return orders.reduce((sum, order) => sum + BigInt(problem.penalties[order]!), -BigInt(cost));
}

function candidateOf(
  problem: AssignmentProblem | AssignmentTable,
  index: number,
): Pick<AssignmentCandidate, 'orders' | 'cost'> {
  if ('candidates' in problem) return problem.candidates[index]!;
  const { orderStart, orders, cost } = problem;
  return { orders: [...orders.subarray(orderStart[index]!, orderStart[index + 1]!)], cost: cost[index]! };
}
