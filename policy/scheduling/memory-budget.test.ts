import { MemoryBudget } from './memory-budget';

test('gives out no more than there is, and knows its peak', () => {
  const budget = new MemoryBudget(100);
  budget.take(60);
  expect(budget.hasRoom(40)).toBe(true);
  expect(budget.hasRoom(41)).toBe(false);
  expect(() => budget.take(41)).toThrow('41 bytes of 40 left');
  budget.giveBack(60);
  budget.take(10);
  expect([budget.usedBytes, budget.peakBytes]).toEqual([10, 60]);
});
