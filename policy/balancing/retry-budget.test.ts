import { RetryBudget } from './retry-budget';

test('the reserve at once, then a share of the attempts', () => {
  const budget = new RetryBudget(0.2, 2);
  expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  // 4 × 0.2 = 0.8: none yet; the fifth makes it 1.
  for (let attempt = 0; attempt < 4; attempt += 1) budget.earn();
  expect(budget.take()).toBe(false);
  budget.earn();
  expect([budget.take(), budget.take()]).toEqual([true, false]);
});

test('never more than the reserve', () => {
  const budget = new RetryBudget(0.5, 3);
  for (let attempt = 0; attempt < 100; attempt += 1) budget.earn();
  expect(budget.left).toBe(3);
});
