import { LossDraw } from './loss-draw';
import { PackingChoice } from './packing-choice';
import { SeededRandom } from './seeded-random';

const COURIERS = 150;
const ORDERS = 210;

/** A column of one order for each courier and order; prices and losses are sixteenths, so that sums are exact. */
function randomProblem(random: SeededRandom) {
  const count = 600;
  const numbers = (length: number, limit: number) => Int32Array.from({ length }, () => random.below(limit));
  const columns = {
    courierCount: COURIERS,
    orderCount: ORDERS,
    count,
    candidate: numbers(count, count),
    courier: numbers(count, COURIERS),
    profit: new Float64Array(count).fill(1),
    orderStart: Int32Array.from({ length: count + 1 }, (_, i) => i),
    orders: numbers(count, ORDERS),
    shift: 0,
    penaltySum: 0,
    rowLimit: COURIERS,
  };
  const reduced = Float64Array.from({ length: count }, () => random.below(1_600) / 16);
  const price = Float64Array.from({ length: ORDERS }, () => random.below(160) / 16);
  const best = new Float64Array(COURIERS).fill(100);
  const near = { reduced, best, isNear: new Uint8Array(count), rows: {} as never };
  return { columns, near, price };
}

/** The first place whose running sum is above the goal, and the last place where none is. */
function placeByRunningSum(losses: readonly number[], unit: number): number {
  const total = losses.reduce((sum, loss) => sum + loss, 0);
  let sum = 0;
  const at = losses.findIndex((loss) => (sum += loss) > unit * total);
  return at < 0 ? losses.length - 1 : at;
}

test('draws as by running sums over all losses, after every change of the choice', () => {
  const random = new SeededRandom(11);
  const { columns, near, price } = randomProblem(random);
  const choice = new PackingChoice(columns);
  const draw = new LossDraw(near, price, choice);
  expect(draw.size).toBe(COURIERS + ORDERS);
  for (let change = 0; change < 500; change++) {
    const column = random.below(columns.count);
    const [courier, order] = [columns.courier[column]!, columns.orders[column]!];
    if (choice.ofCourier[courier] === column) choice.drop(column);
    else if (choice.fits(column)) choice.take(column);
    draw.refresh(choice, { couriers: [courier], orders: [order] });
    const losses = [
      ...Array.from(near.best, (best, k) => best - (near.reduced[choice.ofCourier[k]!] ?? 0)),
      ...Array.from(price, (value, o) => (choice.ofOrder[o]! < 0 ? value : 0)),
    ];
    const unit = new SeededRandom(change).unit();
    expect(draw.draw(new SeededRandom(change))).toBe(placeByRunningSum(losses, unit));
  }
});

test('where nothing is lost the last order is drawn', () => {
  const { columns, near } = randomProblem(new SeededRandom(1));
  const nothing = { ...near, best: new Float64Array(COURIERS) };
  const draw = new LossDraw(nothing, new Float64Array(ORDERS), new PackingChoice(columns));
  expect(draw.draw(new SeededRandom(5))).toBe(COURIERS + ORDERS - 1);
});
