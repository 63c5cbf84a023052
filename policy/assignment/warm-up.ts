import { assign } from './assign';
import type { AssignmentProblem, AssignmentSolution } from './problem';
import { SeededRandom } from './seeded-random';

/** Enough turns of every loop that it is compiled. */
const REPEATS = 4;
const MATCHING = { couriers: 100, orders: 200, candidates: 10_000, largestBundle: 1 };
const PACKING = { couriers: 30, orders: 60, candidates: 1_500, largestBundle: 3 };

/** Solves a small generated problem a step, so that the first real one finds compiled code; some 25 ms each. */
export function* warmUpSteps(): Generator<AssignmentSolution> {
  for (let seed = 1; seed <= REPEATS; seed++) {
    yield assign(randomProblem(seed, MATCHING));
    yield assign(randomProblem(seed, PACKING), { workBudget: 500_000 });
  }
}

interface Shape {
  readonly couriers: number;
  readonly orders: number;
  readonly candidates: number;
  readonly largestBundle: number;
}

/** With bigints, as rounds have them. */
function randomProblem(seed: number, shape: Shape): AssignmentProblem {
  const random = new SeededRandom(seed * 7_919);
  const bundle = () => {
    const first = random.below(shape.orders - shape.largestBundle);
    return Array.from({ length: 1 + random.below(shape.largestBundle) }, (_, i) => first + i);
  };
  const candidates = Array.from({ length: shape.candidates }, () => ({
    courier: random.below(shape.couriers),
    orders: bundle(),
    cost: BigInt(random.below(10_000)),
  }));
  const penalties = Array.from({ length: shape.orders }, () => 20_000n);
  return { courierCount: shape.couriers, orderCount: shape.orders, candidates, penalties };
}
