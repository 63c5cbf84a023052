import type { Courier, DispatchRound } from '#schemas/domain';
import { assign, type AssignOptions } from '../assignment/assign';
import type { AssignmentCandidate } from '../assignment/problem';
import type { ArrivedPlan } from './read-outcome';
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

/** Solves the assignment among the plans that arrived. */
export function choosePlans(
  index: RoundIndex,
  plans: readonly ArrivedPlan[],
  options: AssignOptions,
): Choice {
  const { round } = index;
  const bases = basePlans(plans);
  const usable: ChosenPlan[] = [];
  const hasCandidate = new Uint8Array(round.orders.length);
  for (const plan of plans) {
    const marginalCost = marginalCostOf(round.couriers[plan.courier]!, plan, bases.get(plan.courier));
    if (
      marginalCost === null ||
      plan.orders.some((order) => index.isHeld[order] || index.isCancelled[order])
    ) {
      continue;
    }
    usable.push({ plan, marginalCost });
    for (const order of plan.orders) hasCandidate[order] = 1;
  }
  const told = round.couriers.map((courier) => toldOrders(index, courier));
  const solution = assign(
    {
      courierCount: round.couriers.length,
      orderCount: round.orders.length,
      candidates: usable.map((candidate) => assignmentCandidate(candidate, told, round.policy.reshuffleCost)),
      penalties: round.orders.map((order) => leavingOutCost(round, order.timesDeferred)),
    },
    options,
  );
  const chosen = new Map<number, ChosenPlan>();
  for (const [courier, plan] of bases) {
    if (round.couriers[courier]!.held.length > 0) chosen.set(courier, { plan, marginalCost: 0n });
  }
  for (const i of solution.chosen) chosen.set(usable[i]!.plan.courier, usable[i]!);
  const byCourier = [...chosen.values()].sort((a, b) => a.plan.courier - b.plan.courier);
  return { chosen: byCourier, hasCandidate, gap: solution.gap };
}

/** The first base row of each courier; shards agree on it. */
function basePlans(plans: readonly ArrivedPlan[]): Map<number, ArrivedPlan> {
  const bases = new Map<number, ArrivedPlan>();
  for (const plan of plans) {
    if (plan.orders.length === 0 && !bases.has(plan.courier)) bases.set(plan.courier, plan);
  }
  return bases;
}

/** Null for base rows and where the held plan alone is infeasible or unknown. */
function marginalCostOf(courier: Courier, plan: ArrivedPlan, base: ArrivedPlan | undefined): bigint | null {
  if (plan.orders.length === 0) return null;
  if (courier.held.length === 0) return plan.cost;
  return base === undefined ? null : plan.cost - base.cost;
}

/** Orders that the courier was told of and that are still to be given. */
function toldOrders(index: RoundIndex, courier: Courier): ReadonlySet<number> {
  const orders = courier.tentativeOrderIds.map((id) => index.orderIndex.get(id));
  return new Set(
    orders.filter(
      (order) => order !== undefined && !index.isHeld[order] && !index.isCancelled[order],
    ) as number[],
  );
}

function assignmentCandidate(
  { plan, marginalCost }: ChosenPlan,
  told: readonly ReadonlySet<number>[],
  reshuffleCost: number,
): AssignmentCandidate {
  const known = told[plan.courier]!;
  const isSame = known.size === plan.orders.length && plan.orders.every((order) => known.has(order));
  const extra = known.size > 0 && !isSame ? BigInt(reshuffleCost) : 0n;
  return { courier: plan.courier, orders: plan.orders, cost: marginalCost + extra };
}

/** Grows with the rounds that left the order out, so that a lost shard doesn't starve its orders. */
function leavingOutCost(round: DispatchRound, timesDeferred: number): bigint {
  const { base, perDeferral } = round.policy.unassignedPenalty;
  return BigInt(base) + BigInt(perDeferral) * BigInt(timesDeferred);
}
