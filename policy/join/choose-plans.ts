import type { Courier, DispatchRound } from '#schemas/domain';
import { MAX_BUNDLE_ORDERS } from '#schemas/tensors';
import { assign, type AssignOptions } from '../assignment/assign';
import type { AssignmentTable } from '../assignment/problem';
import { readyRisk } from '../candidates/chains/ready-risk';
import type { ArrivedPlan, ArrivedPlans } from './arrived-plans';
import type { RoundIndex } from './round-index';

export interface ChosenPlan {
  readonly plan: ArrivedPlan;
  /** Cost of the plan minus that of the courier's held plan alone. */
  readonly marginalCost: bigint;
}

export interface Choice {
  /** By courier: a bundle, or else the held plan alone. */
  readonly chosen: readonly ChosenPlan[];
  /** 1 for orders that stand in a usable candidate. */
  readonly hasCandidate: Uint8Array;
  readonly gap: bigint;
}

/** Costs up to this, and what is added to and taken from them once, stay safe integers. */
const LARGEST_DOUBLE_COST = 2 ** 51;
const NONE = -1;

/** Solves the assignment among the plans that arrived. */
export function choosePlans(index: RoundIndex, plans: ArrivedPlans, options: AssignOptions): Choice {
  const { round } = index;
  const bases = basePlans(round, plans);
  const usable = usablePlans(index, plans, bases);
  const solution = assign(tableOf(index, plans, { bases, usable }), options);
  const hasCandidate = new Uint8Array(round.orders.length);
  for (const plan of usable) {
    for (let slot = plans.orderStart[plan]!; slot < plans.orderStart[plan + 1]!; slot++) {
      hasCandidate[plans.orders[slot]!] = 1;
    }
  }
  const chosen = new Map<number, ChosenPlan>();
  bases.forEach((base, courier) => {
    if (base !== NONE) chosen.set(courier, { plan: plans.plan(base), marginalCost: 0n });
  });
  for (const i of solution.chosen) {
    const plan = usable[i]!;
    const marginalCost = marginalCostOf(plans, bases, plan);
    chosen.set(plans.courier[plan]!, { plan: plans.plan(plan), marginalCost });
  }
  const byCourier = [...chosen.values()].sort((a, b) => a.plan.courier - b.plan.courier);
  return { chosen: byCourier, hasCandidate, gap: solution.gap };
}

const isBase = ({ orderStart }: ArrivedPlans, plan: number): boolean =>
  orderStart[plan] === orderStart[plan + 1];

/** The first base row of each courier that holds something, or NONE; shards agree on it. */
function basePlans({ couriers }: DispatchRound, plans: ArrivedPlans): Int32Array {
  const bases = new Int32Array(couriers.length).fill(NONE);
  for (let plan = 0; plan < plans.count; plan++) {
    if (!isBase(plans, plan)) continue;
    const courier = plans.courier[plan]!;
    if (bases[courier] === NONE && couriers[courier]!.held.length > 0) bases[courier] = plan;
  }
  return bases;
}

/** Without base rows, those whose courier's held plan alone is infeasible or unknown, and those of orders that are gone. */
function usablePlans({ round, isHeld, isCancelled }: RoundIndex, plans: ArrivedPlans, bases: Int32Array) {
  const needsBase = Uint8Array.from(round.couriers, ({ held }) => (held.length > 0 ? 1 : 0));
  const usable = new Int32Array(plans.count);
  let count = 0;
  for (let plan = 0; plan < plans.count; plan++) {
    const courier = plans.courier[plan]!;
    let fits = !isBase(plans, plan) && (needsBase[courier] === 0 || bases[courier] !== NONE);
    for (let slot = plans.orderStart[plan]!; slot < plans.orderStart[plan + 1]!; slot++) {
      const order = plans.orders[slot]!;
      if (isHeld[order] === 1 || isCancelled[order] === 1) fits = false;
    }
    if (fits) usable[count++] = plan;
  }
  return usable.subarray(0, count);
}

function marginalCostOf(plans: ArrivedPlans, bases: Int32Array, plan: number): bigint {
  const base = bases[plans.courier[plan]!]!;
  return plans.exactCost(plan) - (base === NONE ? 0n : plans.exactCost(base));
}

interface Usable {
  readonly bases: Int32Array;
  readonly usable: Int32Array;
}

function tableOf(index: RoundIndex, plans: ArrivedPlans, { bases, usable }: Usable): AssignmentTable {
  const { round } = index;
  const courier = new Int32Array(usable.length);
  const orderStart = new Int32Array(usable.length + 1);
  const orders = new Int32Array(plans.orders.length);
  let slot = 0;
  for (let i = 0; i < usable.length; i++) {
    const plan = usable[i]!;
    courier[i] = plans.courier[plan]!;
    for (let from = plans.orderStart[plan]!; from < plans.orderStart[plan + 1]!; from++) {
      orders[slot++] = plans.orders[from]!;
    }
    orderStart[i + 1] = slot;
  }
  return {
    courierCount: round.couriers.length,
    orderCount: round.orders.length,
    count: usable.length,
    courier,
    orderStart,
    orders: orders.subarray(0, slot),
    cost: costsOf(index, plans, { bases, usable }),
    penalties: round.orders.map((order) => leavingOutCost(round, order.timesDeferred)),
  };
}

/**
 * Marginal costs, what it costs to give a courier another bundle than the one that it was told of, what orders cost
 * that its guaranteed pay doesn't cover, and what may come of ready times that aren't known.
 */
function costsOf(index: RoundIndex, plans: ArrivedPlans, { bases, usable }: Usable) {
  const { reshuffleCost, uncoveredOrderCost = 0 } = index.round.policy;
  const covered = index.round.couriers.map(({ coveredOrders = Infinity }) => coveredOrders);
  const told = index.round.couriers.map((courier) => toldOrders(index, courier));
  const isReshuffled = (plan: number): boolean => {
    const known = told[plans.courier[plan]!]!;
    return known !== null && !isBundle(plans, plan, known);
  };
  const riskOf = readyRisk(index.round);
  const risk = (plan: number): number => {
    if (riskOf === null) return 0;
    return riskOf(
      plans.courier[plan]!,
      plans.orders.slice(plans.orderStart[plan], plans.orderStart[plan + 1]),
    );
  };
  const surcharge = (plan: number): number => {
    const orders = plans.orderStart[plan + 1]! - plans.orderStart[plan]!;
    const beyond = Math.max(0, orders - covered[plans.courier[plan]!]!);
    const uncovered = beyond === 0 ? 0 : uncoveredOrderCost * beyond;
    return (isReshuffled(plan) ? reshuffleCost : 0) + uncovered + risk(plan);
  };
  const isSmall = reshuffleCost + MAX_BUNDLE_ORDERS * uncoveredOrderCost <= LARGEST_DOUBLE_COST;
  if (!isSmall || !areSmall(plans)) {
    return Array.from(usable, (plan) => marginalCostOf(plans, bases, plan) + BigInt(surcharge(plan)));
  }
  const costs = new Float64Array(usable.length);
  for (let i = 0; i < usable.length; i++) {
    const plan = usable[i]!;
    const base = bases[plans.courier[plan]!]!;
    costs[i] = plans.cost[plan]! - (base === NONE ? 0 : plans.cost[base]!) + surcharge(plan);
  }
  return costs;
}

function areSmall({ areCostsSafe, cost }: ArrivedPlans): boolean {
  if (!areCostsSafe) return false;
  for (let plan = 0; plan < cost.length; plan++)
    if (Math.abs(cost[plan]!) > LARGEST_DOUBLE_COST) return false;
  return true;
}

function isBundle({ orderStart, orders }: ArrivedPlans, plan: number, known: ReadonlySet<number>): boolean {
  if (orderStart[plan + 1]! - orderStart[plan]! !== known.size) return false;
  for (let slot = orderStart[plan]!; slot < orderStart[plan + 1]!; slot++) {
    if (!known.has(orders[slot]!)) return false;
  }
  return true;
}

/** Orders that the courier was told of and that are still to be given; null where there are none. */
function toldOrders(index: RoundIndex, courier: Courier): ReadonlySet<number> | null {
  const told = new Set<number>();
  for (const id of courier.tentativeOrderIds) {
    const order = index.orderIndex.get(id);
    if (order !== undefined && !index.isHeld[order] && !index.isCancelled[order]) told.add(order);
  }
  return told.size === 0 ? null : told;
}

/** Grows with the rounds that left the order out, so that a lost shard doesn't starve its orders. */
function leavingOutCost(round: DispatchRound, timesDeferred: number): bigint {
  const { base, perDeferral } = round.policy.unassignedPenalty;
  return BigInt(base) + BigInt(perDeferral) * BigInt(timesDeferred);
}
