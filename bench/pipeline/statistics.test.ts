import { percentile, unionLength } from './statistics';

describe('percentile', () => {
  it('takes the nearest rank', () => {
    // ranks of 4 values: p50 -> ceil(2) = 2nd, p99 -> ceil(3.96) = 4th
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(percentile([4, 1, 3, 2], 0.99)).toBe(4);
  });
  it('is NaN for no values, never 0', () => expect(percentile([], 0.5)).toBeNaN());
});

describe('unionLength', () => {
  it('counts overlaps once', () => {
    // [0,4] + [3,6] cover 6, [8,9] covers 1, [4,5] nothing more
    const intervals = [
      { start: 8, end: 9 },
      { start: 0, end: 4 },
      { start: 3, end: 6 },
      { start: 4, end: 5 },
    ];
    expect(unionLength(intervals)).toBe(7);
  });
  it('is 0 for none', () => expect(unionLength([])).toBe(0));
});
