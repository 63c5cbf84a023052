import { SeededRandom } from './seeded-random';
import { smallest } from './smallest';

test('the value at every place of a short list, of many and of equal values, as sorting finds it', () => {
  const random = new SeededRandom(7);
  for (const [length, below] of [
    [1, 5],
    [40, 10],
    [300, 1e9],
    [10_000, 3],
    [20_000, 1e12],
    [9_000, 1],
  ] as const) {
    const values = Float64Array.from({ length }, () => random.below(below));
    const sorted = values.toSorted();
    for (const place of [0, 1, 3, 15, 16, 17, 500, 6_666, length - 1].filter((at) => at < length)) {
      // Two strangers on each side, which don't count.
      const among = Float64Array.of(-1, -2, ...values, -3, -4);
      expect(smallest(among, 2, 2 + length, place)).toBe(sorted[place]);
    }
  }
});

test('a sample that is far off the rest is no harm', () => {
  // The sample takes every tenth value of 10,240, and those are all large: 9,216 others are smaller.
  const values = Float64Array.from({ length: 10_240 }, (_, i) => (i % 10 === 0 ? 1e6 + i : i));
  expect(smallest(values.slice(), 0, values.length, 2_000)).toBe(values.toSorted()[2_000]);
  // And here they are all small: at place 2,000 is none of the 1,024.
  const others = Float64Array.from({ length: 10_240 }, (_, i) => (i % 10 === 0 ? i : 1e6 + i));
  expect(smallest(others.slice(), 0, others.length, 2_000)).toBe(others.toSorted()[2_000]);
});
