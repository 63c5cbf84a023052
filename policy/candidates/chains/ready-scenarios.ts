import type { DispatchRound, Order } from '#schemas/domain';
import { SeededRandom } from '../../assignment/seeded-random';

/** Of what may come of ready times that are not known; seconds from asOf. */
export interface ReadyScenarios {
  /** 1 for orders whose ready time is not known. */
  readonly isUncertain: Uint8Array;
  /** In each of equal chance: by order, when it is ready. */
  readonly readyAt: readonly Float64Array[];
}

const MOST_SCENARIOS = 12;
const LEAST_SCENARIOS = 2;
/** Couriers times orders of a round that has all scenarios; larger ones have fewer, as what a chain takes to cost grows with them. */
const ALL_SCENARIOS_AREA = 40_000;
const SEED = 20_261_130;
/** Preparations are log-logistic with a deviation of 0.4 of their mean: its shape, and its median over its mean. */
const SHAPE = 4.9;
const MEDIAN = Math.sin(Math.PI / SHAPE) / (Math.PI / SHAPE);
/** No meal is expected to take more than this from now on. */
const LONGEST_REST = 30 * 60;

/**
 * Ready times as they may turn out: an unknown one that is stated is the mean of what preparations take, and what a
 * meal isn't ready of by asOf it still needs. Each order has each part of its distribution once (each twelfth, where
 * there are twelve scenarios), in an order of its own. Deterministic; null where all are known, or the round has no chains.
 */
export function readyScenarios(round: DispatchRound): ReadyScenarios | null {
  const { orders, asOf, policy } = round;
  if (policy.chains === undefined || orders.every(({ known }) => known.ready)) return null;
  const random = new SeededRandom(SEED);
  const scenarios = scenarioCount(round.couriers.length, orders.length);
  const readyAt = Array.from({ length: scenarios }, () =>
    Float64Array.from(orders, (order) => order.readyAt - asOf),
  );
  orders.forEach((order, index) => {
    if (order.known.ready) return;
    const parts = shuffled(scenarios, random);
    readyAt.forEach((times, scenario) => {
      times[index] = restOf(order, asOf, (parts[scenario]! + 0.5) / scenarios);
    });
  });
  return { isUncertain: Uint8Array.from(orders, ({ known }) => (known.ready ? 0 : 1)), readyAt };
}

function scenarioCount(couriers: number, orders: number): number {
  const count = Math.floor((MOST_SCENARIOS * ALL_SCENARIOS_AREA) / (couriers * orders));
  return Math.max(LEAST_SCENARIOS, Math.min(MOST_SCENARIOS, count));
}

/** That part of the meals which are as old and not ready needs at most so many whole seconds more. */
function restOf({ placedAt, readyAt }: Order, asOf: number, part: number): number {
  const age = Math.max(0, asOf - placedAt);
  const median = MEDIAN * Math.max(1, readyAt - placedAt);
  const odds = (age / median) ** SHAPE;
  // Survival is 1 / (1 + odds): what is left of it when that part is ready gives the odds of then.
  const later = (1 + odds) / (1 - part) - 1;
  const rest = Math.round(median * later ** (1 / SHAPE) - age);
  return placedAt > asOf ? placedAt - asOf + rest : Math.min(LONGEST_REST, Math.max(0, rest));
}

function shuffled(count: number, random: SeededRandom): number[] {
  const parts = Array.from({ length: count }, (_, part) => part);
  for (let i = count - 1; i > 0; i -= 1) {
    const j = random.below(i + 1);
    [parts[i], parts[j]] = [parts[j]!, parts[i]!];
  }
  return parts;
}
