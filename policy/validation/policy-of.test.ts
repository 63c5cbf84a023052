import { policyOf } from './index';

test('a policy alone, with its defaults', () => {
  const { policy, faults } = policyOf({ weights: { lateness: 3 } }, 0);
  expect(faults).toEqual([]);
  expect(policy).toMatchObject({ weights: { lateness: 3, duration: 1 }, quantile: 'p50' });
});

test('all that is wrong with it, unknown fields too', () => {
  const { faults } = policyOf({ weights: { latenes: 3 }, quantile: 'p51' }, 0);
  expect(faults.map(({ path }) => path)).toEqual(['policy.weights.latenes', 'policy.quantile']);
  expect(policyOf([], 0).faults).toHaveLength(1);
  expect(policyOf({ modelLabel: 'canary' }, 0, ['stable']).faults[0]!.path).toBe('policy.modelLabel');
});
