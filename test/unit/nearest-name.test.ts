import { editDistance, nearestName } from '#schemas/nearest-name';

test('counts insertions, deletions, replacements and swaps', () => {
  expect(editDistance('kitten', 'sitting')).toBe(3); // k→s, e→i, +g
  expect(editDistance('deadline', 'daedline')).toBe(1); // one swap
  expect(editDistance('', 'abc')).toBe(3);
});

test('finds the nearest name, or none where nothing is near', () => {
  const valid = ['deadline', 'couriers', 'orders', 'policy'];
  expect(nearestName('deadlin', valid)).toBe('deadline');
  expect(nearestName('Couriers', valid)).toBe('couriers');
  expect(nearestName('zzzzzzzz', valid)).toBeNull();
  expect(nearestName('__proto__', valid)).toBeNull();
});

test('a very long name is compared by its beginning only', () => {
  expect(nearestName('x'.repeat(1_000_000), ['deadline'])).toBeNull();
});
