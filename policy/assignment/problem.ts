/** One courier with one order bundle; `cost` is the marginal cost of taking it. */
export interface AssignmentCandidate {
  /** 0..courierCount − 1 */
  readonly courier: number;
  /** Distinct, each 0..orderCount − 1, at least one. */
  readonly orders: readonly number[];
  /** A safe integer or a bigint. */
  readonly cost: number | bigint;
}

/** Each courier takes at most one candidate; each order lies in at most one chosen candidate. */
export interface AssignmentProblem {
  readonly courierCount: number;
  readonly orderCount: number;
  readonly candidates: readonly AssignmentCandidate[];
  /** Per order the cost of leaving it out; safe integers or bigints, at least 0. */
  readonly penalties: readonly (number | bigint)[];
}

export interface AssignmentSolution {
  /** Indices into `candidates`, ascending. */
  readonly chosen: readonly number[];
  /** Costs of the chosen candidates plus penalties of the orders left out. */
  readonly cost: bigint;
  /** cost − gap is a proven lower bound of every solution's cost; 0 where `chosen` is proven optimal. */
  readonly gap: bigint;
}

/** Cost of a choice; also the checker's definition of the objective. */
export function costOf(problem: AssignmentProblem, chosen: readonly number[]): bigint {
  let cost = problem.penalties.reduce<bigint>((sum, penalty) => sum + BigInt(penalty), 0n);
  for (const index of chosen) cost -= profitOf(problem, index);
  return cost;
}

/** What choosing a candidate saves: the penalties of its orders minus its cost. */
export function profitOf(problem: AssignmentProblem, index: number): bigint {
  const { orders, cost } = problem.candidates[index]!;
  return orders.reduce((sum, order) => sum + BigInt(problem.penalties[order]!), -BigInt(cost));
}
