import { RetryBudget } from './retry-budget';

test('the reserve at once, then a share of the attempts', () => {
  const budget = new RetryBudget(0.2, 2, 0);
  const take = () => budget.take(0);
  expect([take(), take(), take()]).toEqual([true, true, false]);
  // 4 × 0.2 = 0.8: none yet; the fifth makes it 1.
  for (let attempt = 0; attempt < 4; attempt += 1) budget.earn();
  expect(take()).toBe(false);
  budget.earn();
  expect([take(), take()]).toEqual([true, false]);
});

test('some each second, whatever is attempted', () => {
  const budget = new RetryBudget(0.2, 2, 10);
  expect([0, 0, 0, 99, 100, 100, 150].map((ms) => budget.take(ms))).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
    false,
  ]);
  // Time that goes back gives nothing.
  expect(budget.take(0)).toBe(false);
});

test('never more than the reserve', () => {
  const budget = new RetryBudget(0.5, 3, 10);
  for (let attempt = 0; attempt < 100; attempt += 1) budget.earn();
  expect(budget.left).toBe(3);
  budget.take(0);
  budget.take(1e9);
  expect(budget.left).toBe(2);
});
