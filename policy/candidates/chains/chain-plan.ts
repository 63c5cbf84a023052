import type { ChainCost } from './chain-cost';
import type { ChainProblem } from './chain-problem';
import type { ChainRules } from './chain-rules';

/** Where an order would go. */
export interface ChainPlace {
  courier: number;
  at: number;
  /** What the courier's chain costs more with it. */
  added: number;
}

const NOBODY = -1;

/** A chain for each courier, of orders that each stand in one chain or in none. */
export class ChainPlan {
  /** Costs of the chains and penalties of the orders that stand in none. */
  total = 0;
  readonly length: Int32Array;
  readonly cost: Float64Array;
  readonly ofOrder: Int32Array;
  private readonly orders: readonly Int32Array[];
  private readonly tried: Int32Array;

  constructor(
    private readonly problem: ChainProblem,
    private readonly rules: ChainRules,
    private readonly costs: ChainCost,
    open: readonly number[],
  ) {
    const { courierCount, orderCount, penalty } = problem;
    this.length = new Int32Array(courierCount);
    this.cost = new Float64Array(courierCount);
    this.ofOrder = new Int32Array(orderCount).fill(NOBODY);
    this.orders = Array.from({ length: courierCount }, () => new Int32Array(rules.maxOrders));
    this.tried = new Int32Array(rules.maxOrders + 1);
    for (const order of open) this.total += penalty[order]!;
  }

  chain(courier: number): Int32Array {
    return this.orders[courier]!.subarray(0, this.length[courier]);
  }

  /** Replaces a courier's chain by orders that stand in none; false, and nothing done, where it breaks a limit. */
  set(courier: number, chain: ArrayLike<number>): boolean {
    this.clear(courier);
    const orders = this.orders[courier]!;
    for (let i = 0; i < chain.length; i += 1) orders[i] = chain[i]!;
    const cost = this.costs.of(courier, orders, chain.length);
    if (cost === Infinity) return false;
    this.length[courier] = chain.length;
    this.cost[courier] = cost;
    this.total += cost;
    for (let i = 0; i < chain.length; i += 1) {
      this.ofOrder[chain[i]!] = courier;
      this.total -= this.problem.penalty[chain[i]!]!;
    }
    return true;
  }

  clear(courier: number): void {
    for (const order of this.chain(courier)) {
      this.ofOrder[order] = NOBODY;
      this.total += this.problem.penalty[order]!;
    }
    this.total -= this.cost[courier]!;
    this.cost[courier] = 0;
    this.length[courier] = 0;
  }

  /**
   * Takes an order out of its chain. What is left may break a limit where travel breaks the triangle inequality:
   * then the whole chain goes.
   */
  remove(order: number): void {
    const courier = this.ofOrder[order]!;
    if (courier === NOBODY) return;
    const rest = this.chain(courier).filter((other) => other !== order);
    this.set(courier, rest);
  }

  /** Betters `best` by the courier's cheapest place for the order; `skips` says which places are not looked at. */
  findPlace(courier: number, order: number, best: ChainPlace, skips: () => boolean): void {
    const length = this.length[courier]!;
    if (length >= this.rules.roomOf(courier) || !this.rules.may(courier, order)) return;
    const { tried } = this;
    const chain = this.orders[courier]!;
    const before = this.cost[courier]!;
    tried.set(chain.subarray(0, length), 1);
    for (let at = 0; at <= length; at += 1) {
      if (at > 0) tried[at - 1] = tried[at]!;
      tried[at] = order;
      if (skips() || !this.rules.allow(tried, length + 1, at)) continue;
      const added = this.costs.of(courier, tried, length + 1) - before;
      if (added < best.added) {
        best.courier = courier;
        best.at = at;
        best.added = added;
      }
    }
  }

  insert(order: number, { courier, at, added }: ChainPlace): void {
    const chain = this.orders[courier]!;
    chain.copyWithin(at + 1, at, this.length[courier]);
    chain[at] = order;
    this.length[courier]! += 1;
    this.cost[courier]! += added;
    this.total += added - this.problem.penalty[order]!;
    this.ofOrder[order] = courier;
  }
}
