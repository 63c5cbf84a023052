import { CostEstimates } from './cost-estimates';

test('it follows larger costs fast and smaller ones slowly, by KiB', () => {
  const costs = new CostEstimates();
  expect(costs.expectedMs('m', 1_024)).toBeNull();
  costs.observe('m', 2_048, 20);
  expect(costs.expectedMs('m', 1_024)).toBe(10);
  // Half of the way from 10 to 30, then a fiftieth from 20 to 10.
  costs.observe('m', 1_024, 30);
  expect(costs.expectedMs('m', 1_024)).toBe(20);
  costs.observe('m', 1_024, 10);
  expect(costs.expectedMs('m', 4_096)).toBeCloseTo(4 * 19.8);
});

test('it stays near the upper end: nine requests of 1 ms and one of 100 ms, over and over', () => {
  const costs = new CostEstimates();
  for (let i = 0; i < 1_000; i++) costs.observe('m', 10, i % 10 === 9 ? 100 : 1);
  expect(costs.expectedMs('m', 10)).toBeGreaterThan(80);
});

test('of any number of models, 256 are kept', () => {
  const costs = new CostEstimates();
  for (let i = 0; i < 1_000; i++) costs.observe(`m${i}`, 1, 1);
  const kept = Array.from({ length: 1_000 }, (_, i) => costs.expectedMs(`m${i}`, 1)).filter(
    (ms) => ms !== null,
  );
  expect(kept).toHaveLength(256);
});
