import { SeededRandom } from '../../assignment/seeded-random';
import { placeDistance } from '../../routing/index';
import type { PlanningView } from '../planning-view';
import { ChainCost } from './chain-cost';
import { ChainPlan, type ChainPlace } from './chain-plan';
import { ChainPool } from './chain-pool';
import type { ChainProblem } from './chain-problem';
import type { ChainRules } from './chain-rules';
import { NearCouriers } from './near-couriers';
import { RelatedOrders } from './related-orders';

const SEED = 20_260_301;
/** Rounds of the search, and the evaluations of a chain that it may take in all. */
const TURNS = 150;
const TURNS_PER_ORDER = 12;
const MOST_TURNS = 4_000;
const MOST_EVALUATIONS = 400_000;
const MOST_CHAINS = 20_000;
/** So many orders are put anew in a turn. */
const MOST_REMOVED = 6;
/** Chances, per turn and relation: unrelated orders are removed; a relation is passed over. */
const UNRELATED = 0.3;
const PASSED_OVER = 0.35;
/** Chance that a place for an order is not looked at. */
const BLINK = 0.02;
/** A turn may make the plan dearer by a share of an order's penalty, from the first to the last turn. */
const FIRST_SHARE = 1 / 60;
const LAST_SHARE = 1 / 1_200;

const look = () => false;

/**
 * Ruin and recreate (Schrimpf et al. 2000, Christiaens and Vanden Berghe 2020) over the chains of all couriers, from what they
 * were told before. What counts is not its last plan but the chains that it met: the set packing chooses among them.
 */
export class ChainSearch {
  readonly pool = new ChainPool(MOST_CHAINS);
  private readonly plan: ChainPlan;
  private readonly costs: ChainCost;
  private readonly near: NearCouriers;
  private readonly related: RelatedOrders;
  private readonly random = new SeededRandom(SEED);
  private readonly blinks = () => this.random.unit() < BLINK;

  constructor(
    private readonly view: PlanningView,
    private readonly problem: ChainProblem,
    rules: ChainRules,
    private readonly open: readonly number[],
  ) {
    this.costs = new ChainCost(problem);
    this.plan = new ChainPlan(problem, rules, this.costs, open);
    this.near = new NearCouriers(view, problem);
    this.related = new RelatedOrders(view, open);
  }

  /** `told`: chains of open orders to begin with, each order in one at most. */
  run(told: ReadonlyMap<number, readonly number[]>): void {
    for (const [courier, chain] of told) {
      if (!this.plan.set(courier, chain)) this.plan.set(courier, []);
      this.pool.add(courier, this.plan.chain(courier));
    }
    const { readyAt } = this.problem;
    const fresh = this.open.filter((order) => this.plan.ofOrder[order]! < 0);
    fresh.sort((a, b) => readyAt[a]! - readyAt[b]! || a - b);
    for (const order of fresh) {
      const place = this.bestPlace(order, look);
      if (place === null) continue;
      this.plan.insert(order, place);
      this.pool.add(place.courier, this.plan.chain(place.courier));
    }
    if (this.open.length > 1) this.improve();
  }

  /** The cheapest place for an order, where it is cheaper than leaving it out. */
  private bestPlace(order: number, skips: () => boolean): ChainPlace | null {
    const best: ChainPlace = { courier: -1, at: 0, added: this.problem.penalty[order]! };
    for (const courier of this.near.of(order)) this.plan.findPlace(courier, order, best, skips);
    return best.courier < 0 ? null : best;
  }

  private improve(): void {
    const turns = Math.min(MOST_TURNS, TURNS + TURNS_PER_ORDER * this.open.length);
    const { base } = this.view.round.policy.unassignedPenalty;
    for (let turn = 0; turn < turns && this.costs.count < MOST_EVALUATIONS; turn += 1) {
      const left = 1 - turn / turns;
      this.turn(base * (LAST_SHARE + (FIRST_SHARE - LAST_SHARE) * left * left * left));
    }
  }

  /** Puts some orders anew; taken back where the plan becomes dearer by more than a random part of `slack`. */
  private turn(slack: number): void {
    const before = this.plan.total;
    const removed = this.choose();
    const saved = new Map<number, Int32Array>();
    const save = (courier: number) => {
      if (courier >= 0 && !saved.has(courier)) saved.set(courier, this.plan.chain(courier).slice());
    };
    for (const order of removed) save(this.plan.ofOrder[order]!);
    for (const order of removed) this.plan.remove(order);
    this.arrange(removed);
    for (const order of removed) {
      const place = this.bestPlace(order, this.blinks);
      if (place === null) continue;
      save(place.courier);
      this.plan.insert(order, place);
    }
    for (const courier of saved.keys()) this.pool.add(courier, this.plan.chain(courier));
    if (this.plan.total <= before + slack * this.random.unit()) return;
    for (const courier of saved.keys()) this.plan.clear(courier);
    for (const [courier, chain] of saved) this.plan.set(courier, chain);
  }

  private choose(): number[] {
    const { random, open } = this;
    const count = 1 + random.below(Math.min(open.length, MOST_REMOVED));
    const first = open[random.below(open.length)]!;
    const chosen = [first];
    if (random.unit() < UNRELATED) {
      while (chosen.length < count) {
        const order = open[random.below(open.length)]!;
        if (!chosen.includes(order)) chosen.push(order);
      }
      return chosen;
    }
    for (const order of this.related.of(first)) {
      if (chosen.length === count) break;
      if (random.unit() >= PASSED_OVER) chosen.push(order);
    }
    return chosen;
  }

  /** The order in which they are put: at random, by ready time, or farthest drop-off first. */
  private arrange(orders: number[]): void {
    const { readyAt, pickupPlace, dropoffPlace } = this.problem;
    const draw = this.random.unit();
    if (draw < 0.4) {
      for (let i = orders.length - 1; i > 0; i -= 1) {
        const j = this.random.below(i + 1);
        [orders[i], orders[j]] = [orders[j]!, orders[i]!];
      }
    } else if (draw < 0.8) orders.sort((a, b) => readyAt[a]! - readyAt[b]! || a - b);
    else {
      const ride = (order: number) =>
        placeDistance(this.view.geometry, pickupPlace[order]!, dropoffPlace[order]!);
      orders.sort((a, b) => ride(b) - ride(a) || a - b);
    }
  }
}
