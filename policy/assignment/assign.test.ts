import loadHighs from 'highs';
import { linearProgram } from '../../bench/assignment/linear-program';
import {
  cityProblem,
  cityShapes,
  largeProblem,
  matchingProblem,
} from '../../bench/assignment/random-problems';
import { assign } from './assign';
import { costOf, type AssignmentCandidate, type AssignmentProblem } from './problem';
import { byLargestProfit } from './profit-order';
import { SeededRandom } from './seeded-random';
import { warmUpSteps } from './warm-up';

let highs: Awaited<ReturnType<typeof loadHighs>>;
beforeAll(async () => {
  highs = await loadHighs();
});

function optimumOf(problem: AssignmentProblem, kind: 'binary' | 'relaxed'): number {
  const penalties = problem.penalties.reduce<number>((sum, penalty) => sum + Number(penalty), 0);
  const { Status, ObjectiveValue } = highs.solve(linearProgram(problem, kind), { mip_rel_gap: 0 });
  expect(Status).toBe('Optimal');
  return penalties + ObjectiveValue;
}

/** Shares nothing with the solver: each courier and each order at most once. */
function expectFeasible(problem: AssignmentProblem, chosen: readonly number[]): void {
  const couriers = chosen.map((index) => problem.candidates[index]!.courier);
  const orders = chosen.flatMap((index) => problem.candidates[index]!.orders);
  expect(new Set(couriers).size).toBe(couriers.length);
  expect(new Set(orders).size).toBe(orders.length);
}

const candidate = (courier: number, orders: number[], cost: number | bigint): AssignmentCandidate => ({
  courier,
  orders,
  cost,
});

describe('by hand', () => {
  test('nothing to choose costs all penalties', () => {
    const none = { courierCount: 0, orderCount: 2, candidates: [], penalties: [3, 4n] };
    expect(assign(none)).toEqual({ chosen: [], cost: 7n, gap: 0n });
  });

  test('a second courier takes the order that the first leaves', () => {
    // Courier 0 with order 0 (1) and courier 1 with order 1 (5) cost 6; the other way 2 + 2 = 4.
    const candidates = [
      candidate(0, [0], 1),
      candidate(0, [1], 2),
      candidate(1, [0], 2),
      candidate(1, [1], 5),
    ];
    const problem = { courierCount: 2, orderCount: 2, candidates, penalties: [100, 100] };
    expect(assign(problem)).toEqual({ chosen: [1, 2], cost: 4n, gap: 0n });
  });

  test('a candidate above the penalties of its orders is left out', () => {
    const problem = { courierCount: 1, orderCount: 1, candidates: [candidate(0, [0], 10)], penalties: [10] };
    expect(assign(problem)).toEqual({ chosen: [], cost: 10n, gap: 0n });
  });

  test('an overlap is solved: the pair for 5 beats one of its orders and a penalty', () => {
    // {0,1} for 5; {0} for 1 leaves order 1 out: 1 + 10.
    const candidates = [candidate(0, [0], 1), candidate(0, [0, 1], 5)];
    const problem = { courierCount: 1, orderCount: 2, candidates, penalties: [10, 10] };
    expect(assign(problem)).toEqual({ chosen: [1], cost: 5n, gap: 0n });
  });

  test('costs beyond doubles are summed exactly and the gap says what scaling lost', () => {
    const huge = 2n ** 62n;
    const candidates = [candidate(0, [0], huge), candidate(0, [1], huge + 1n)];
    const problem = { courierCount: 1, orderCount: 2, candidates, penalties: [huge * 2n, huge * 2n] };
    const { chosen, cost, gap } = assign(problem);
    expect(chosen).toHaveLength(1);
    expect(cost === huge * 3n || cost === huge * 3n + 1n).toBe(true);
    expect(gap).toBeGreaterThanOrEqual(1n);
    expect(gap).toBeLessThan(huge / 2n ** 40n);
  });

  test.each([
    ['courier 1 of 1', candidate(1, [0], 1)],
    ['order 1 of 1', candidate(0, [1], 1)],
    ['has no orders', candidate(0, [], 1)],
    ['order 0 twice', candidate(0, [0, 0], 1)],
  ])('refused: %s', (reason, wrong) => {
    const problem = { courierCount: 1, orderCount: 1, candidates: [wrong], penalties: [5] };
    expect(() => assign(problem)).toThrow(reason);
  });

  test('refused: penalties of another count', () => {
    expect(() => assign({ courierCount: 0, orderCount: 1, candidates: [], penalties: [] })).toThrow(
      '0 penalties for 1 orders',
    );
  });
});

describe('disjoint bundles', () => {
  function randomDisjoint(seed: number): AssignmentProblem {
    const random = new SeededRandom(seed);
    const courierCount = 1 + random.below(20);
    const orderCount = 1 + random.below(30);
    const bundles: number[][] = [];
    for (let order = 0; order < orderCount;) {
      const size = Math.min(1 + random.below(3), orderCount - order);
      bundles.push(Array.from({ length: size }, (_, i) => order + i));
      order += size;
    }
    const candidates = Array.from({ length: random.below(150) }, () => {
      const bundle = bundles[random.below(bundles.length)]!;
      const orders = random.unit() < 0.5 ? bundle : [...bundle].reverse();
      return candidate(random.below(courierCount), orders, random.below(seed % 2 ? 12 : 1_000) - 3);
    });
    const penalties = Array.from({ length: orderCount }, () => random.below(seed % 2 ? 10 : 700));
    return { courierCount, orderCount, candidates, penalties };
  }

  test('100 small ones, many with ties, cost what highs finds', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const problem = randomDisjoint(seed);
      if (problem.candidates.length === 0) continue;
      const solution = assign(problem);
      expectFeasible(problem, solution.chosen);
      expect(solution.gap).toBe(0n);
      expect(solution.cost).toBe(costOf(problem, solution.chosen));
      expect(Number(solution.cost)).toBe(Math.round(optimumOf(problem, 'relaxed')));
    }
  });

  test.each([
    { couriers: 100, orders: 200, candidates: 6_000, maxCost: 1_000, penalty: 2_000 },
    { couriers: 200, orders: 100, candidates: 6_000, maxCost: 1_000, penalty: 700 },
    { couriers: 150, orders: 150, candidates: 3_000, maxCost: 30, penalty: 25 },
  ])('%o costs what highs finds', (shape) => {
    const problem = matchingProblem(1, shape);
    const solution = assign(problem);
    expectFeasible(problem, solution.chosen);
    expect(Number(solution.cost)).toBe(Math.round(optimumOf(problem, 'relaxed')));
  });
});

describe('overlapping bundles', () => {
  test.each([4, 6, 7])('shape %d: within 1%% of the optimum of highs, under a valid bound', (shape) => {
    const problem = cityProblem(500 + shape, cityShapes[shape]!);
    const solution = assign(problem);
    const optimum = Math.round(optimumOf(problem, 'binary'));
    expectFeasible(problem, solution.chosen);
    expect(Number(solution.cost - solution.gap)).toBeLessThanOrEqual(optimum);
    expect(Number(solution.cost)).toBeGreaterThanOrEqual(optimum);
    expect(Number(solution.cost)).toBeLessThanOrEqual(optimum * 1.01);
  });

  test('more than 10,000 columns are priced together, under a bound that holds for all of them', () => {
    // 5 restaurants · (16 orders + 120 pairs) · 18 couriers
    const shape = { places: 5, ordersPerPlace: 16, couriersPerPlace: 18, maxBundle: 2 } as const;
    const problem = largeProblem(3, shape);
    expect(problem.candidates).toHaveLength(12_240);
    const solution = assign(problem, { workBudget: 5_000_000, closeEnough: 0.002 });
    expectFeasible(problem, solution.chosen);
    expect(solution.cost).toBe(costOf(problem, solution.chosen));
    // No choice of prices gives more than the linear program.
    const relaxed = optimumOf(problem, 'relaxed');
    expect(Number(solution.cost - solution.gap)).toBeLessThanOrEqual(Math.ceil(relaxed));
    expect(Number(solution.cost)).toBeGreaterThanOrEqual(Math.floor(relaxed));
    expect(Number(solution.gap)).toBeLessThan(0.05 * relaxed);
    expect(assign(problem, { workBudget: 5_000_000, closeEnough: 0.002 })).toEqual(solution);
    const hasty = assign(problem, { workBudget: 1 });
    expectFeasible(problem, hasty.chosen);
    expect(hasty.cost - hasty.gap).toBeLessThanOrEqual(solution.cost);
  });

  test('equal problems have equal solutions, and a budget of nothing still gives a bound', () => {
    const problem = cityProblem(9, cityShapes[6]!);
    expect(assign(problem)).toEqual(assign(problem));
    const hasty = assign(problem, { workBudget: 1 });
    expectFeasible(problem, hasty.chosen);
    expect(hasty.gap).toBeGreaterThan(0n);
    expect(hasty.cost - hasty.gap).toBeLessThanOrEqual(assign(problem).cost);
  });
});

test('the warm-up solves problems of both kinds', () => {
  const solutions = [...warmUpSteps()];
  expect(solutions.length).toBeGreaterThan(1);
  for (const { chosen } of solutions) expect(chosen.length).toBeGreaterThan(0);
});

test('columns by profit: the largest first, the smaller column first among equals, up to 2^52', () => {
  const random = new SeededRandom(4);
  const profit = Float64Array.from({ length: 3_000 }, (_, i) =>
    random.below([3, 70_000, 2 ** 40, 2 ** 52][i % 4]!),
  );
  const expected = [...profit.keys()].sort((a, b) => profit[b]! - profit[a]! || a - b);
  expect([...byLargestProfit(profit)]).toEqual(expected);
  expect([...byLargestProfit(new Float64Array(0))]).toEqual([]);
});
