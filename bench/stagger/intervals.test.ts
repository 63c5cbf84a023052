import { intersection, unionOf } from './intervals';

const at = (...pairs: readonly [number, number][]) => pairs.map(([start, end]) => ({ start, end }));

test('overlapping intervals are one', () => {
  expect(unionOf(at([8, 9], [0, 4], [3, 6]))).toEqual(at([0, 6], [8, 9]));
  expect(unionOf([])).toEqual([]);
});

test('what two unions have in common', () => {
  // [0, 6] and [8, 12] against [5, 9] and [11, 20]: [5, 6], [8, 9], [11, 12].
  expect(intersection(at([0, 6], [8, 12]), at([5, 9], [11, 20]))).toEqual(at([5, 6], [8, 9], [11, 12]));
  expect(intersection(at([0, 1]), at([1, 2]))).toEqual([]);
});
