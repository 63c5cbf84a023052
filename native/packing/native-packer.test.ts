import { cityProblem, cityShapes, largeProblem } from '../../bench/assignment/random-problems';
import { SeededRandom } from '#policy/assignment/seeded-random';
import { tableOf, type AssignmentProblem } from '#policy/assignment/problem';
import { profitColumns, type ProfitColumns } from '#policy/assignment/profit-columns';
import { policyPacker } from '#policy/assignment/set-packing';
import { loadBindings } from './bindings';
import { nativePacker } from './native-packer';

const rounds = process.env.TEST_FULL === '1' ? 2_000 : 100;

/** Few orders and many ties, or large profits of all sizes. */
function randomProblem(seed: number): AssignmentProblem {
  const random = new SeededRandom(seed * 104_729);
  const courierCount = 1 + random.below(30);
  const orderCount = 1 + random.below(60);
  const unit = [1, 50, 1_000, 2 ** 31][seed % 4]!;
  const candidates = Array.from({ length: 1 + random.below(600) }, () => {
    const first = random.below(orderCount);
    const size = 1 + random.below(Math.min(6, orderCount - first));
    const orders = Array.from({ length: size }, (_, i) => first + i);
    return { courier: random.below(courierCount), orders, cost: random.below(30) * unit };
  });
  const penalties = Array.from({ length: orderCount }, () => random.below(20) * unit);
  return { courierCount, orderCount, candidates, penalties };
}

const columnsOf = (problem: AssignmentProblem): ProfitColumns => profitColumns(tableOf(problem));

test(`${rounds} random problems, with all budgets and numbers of threads: to the last bit what the policy packs`, () => {
  let packed = 0;
  for (let seed = 1; seed <= rounds; seed++) {
    const columns = columnsOf(randomProblem(seed));
    if (columns.count === 0) continue;
    const limits = {
      budget: [1, 3_000, 100_000, 500_000][seed % 4]!,
      closeEnough: [0, 0.002, 0.05][seed % 3]!,
    };
    const native = nativePacker(1 + (seed % 3))(columns, limits);
    expect({ seed, ...native }).toEqual({ seed, ...policyPacker(columns, limits) });
    packed += native.columns.length;
  }
  expect(packed).toBeGreaterThan(5 * rounds);
});

test.each([0, 3, 5, 9])('city shape %d: the same', (shape) => {
  const columns = columnsOf(cityProblem(70 + shape, cityShapes[shape]!));
  const limits = { budget: 1_500_000, closeEnough: 0.0005 };
  for (const threads of [1, 4]) {
    expect(nativePacker(threads)(columns, limits)).toEqual(policyPacker(columns, limits));
  }
});

test('12,240 columns: the same with the full and the reduced budget', () => {
  const shape = { places: 5, ordersPerPlace: 16, couriersPerPlace: 18, maxBundle: 2 } as const;
  const columns = columnsOf(largeProblem(3, shape));
  expect(columns.count).toBeGreaterThan(10_000);
  for (const budget of [5_000_000, 950_000]) {
    const limits = { budget, closeEnough: 0.002 };
    const [alone, shared] = [1, 3].map((threads) => nativePacker(threads)(columns, limits));
    expect(alone).toEqual(policyPacker(columns, limits));
    expect(shared).toEqual(alone);
  }
});

describe('refused', () => {
  const good = {
    courier: Int32Array.of(0, 1),
    profit: Float64Array.of(5, 6),
    orderStart: Int32Array.of(0, 1, 3),
    orders: Int32Array.of(0, 0, 1),
    courierCount: 2,
    orderCount: 2,
    penaltySum: 20,
    budget: 1_000,
    closeEnough: 0,
    threads: 1,
  };
  const pack = (changes: Record<string, unknown>) => {
    const all = { ...good, ...changes };
    return loadBindings().pack(
      ...(Object.values(all) as Parameters<ReturnType<typeof loadBindings>['pack']>),
    );
  };

  test('nothing of a good problem: courier 1 takes both orders for 6', () =>
    expect([...pack({}).columns]).toEqual([1]));

  test.each([
    ['courier 2 of 2', { courier: Int32Array.of(0, 2) }, 'column 1: courier'],
    ['courier −1', { courier: Int32Array.of(-1, 0) }, 'column 0: courier'],
    ['order 2 of 2', { orders: Int32Array.of(0, 0, 2) }, 'column 1: order'],
    ['order −1', { orders: Int32Array.of(-1, 0, 1) }, 'column 0: order'],
    ['a column without orders', { orderStart: Int32Array.of(0, 0, 3) }, 'column 0: orders'],
    ['orders that go back', { orderStart: Int32Array.of(0, 2, 1) }, 'column 1: orders'],
    ['orders beyond their array', { orderStart: Int32Array.of(0, 1, 9) }, 'column 1: orders'],
    ['orders that begin elsewhere', { orderStart: Int32Array.of(1, 2, 3) }, 'orderStart'],
    ['a profit below 0', { profit: Float64Array.of(-1, 6) }, 'column 0: profit'],
    ['half a profit', { profit: Float64Array.of(5, 6.5) }, 'column 1: profit'],
    ['a profit that is none', { profit: Float64Array.of(5, NaN) }, 'column 1: profit'],
    ['a profit above 2^52', { profit: Float64Array.of(5, 2 ** 53) }, 'column 1: profit'],
    ['fewer profits than couriers', { profit: Float64Array.of(5) }, 'different lengths'],
    [
      'no columns',
      { courier: new Int32Array(0), profit: new Float64Array(0), orderStart: Int32Array.of(0) },
      'no columns',
    ],
    ['an array of another type', { courier: Float64Array.of(0, 1) }, 'courier is no array of its type'],
    ['a count that is none', { courierCount: 1.5 }, 'courierCount is no count'],
    ['a budget that is none', { budget: NaN }, 'budget is no number'],
    ['no threads', { threads: 0 }, 'threads'],
    ['too many threads', { threads: 17 }, 'threads'],
  ])('%s', (_, changes, reason) =>
    expect(() => pack(changes)).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_INVALID', message: expect.stringContaining(reason) }),
    ),
  );
});
