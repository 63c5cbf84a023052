import { FleetCosts } from './fleet-costs';

test('the prior, then what was seen of the size, then of the nearest one', () => {
  const costs = new FleetCosts(0.05);
  expect(costs.serviceMs('m', 100)).toBeCloseTo(5);
  costs.observe('m', 100, 20);
  // 0.2 ms a unit, for sizes near and far.
  expect(costs.serviceMs('m', 100)).toBeCloseTo(20);
  expect(costs.serviceMs('m', 400)).toBeCloseTo(80);
  expect(costs.serviceMs('m', 1_000_000)).toBeCloseTo(200_000);
  costs.observe('m', 400, 40);
  expect(costs.serviceMs('m', 380)).toBeCloseTo(38);
  expect(costs.serviceMs('other', 100)).toBeCloseTo(5);
  expect([costs.isKnown('m', 100), costs.isKnown('m', 1_000), costs.isKnown('other', 100)]).toEqual([
    true,
    false,
    false,
  ]);
});
