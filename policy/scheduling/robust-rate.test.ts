import { RobustRate } from './robust-rate';

function seen(...rates: number[]): RobustRate {
  const rate = new RobustRate();
  for (const one of rates) rate.observe(one, 1);
  return rate;
}

test('the first counts whole; a second moves the logarithm half of the way', () => {
  expect(seen(4).value).toBeCloseTo(4);
  // ln 4 + (ln 1 − ln 4) / 2 = ln 2
  expect(seen(4, 1).value).toBeCloseTo(2);
});

test('once settled, three outliers in a row change nothing; the fourth is the new level', () => {
  const settled = [1, 1, 1, 1];
  expect(seen(...settled, 5, 5, 5).value).toBeCloseTo(1);
  expect(seen(...settled, 5, 5, 5, 5).value).toBeCloseTo(5);
});

test('outliers on both sides, or with others between, are no new level', () => {
  const settled = [1, 1, 1, 1];
  expect(seen(...settled, 5, 5, 5, 0.1, 5, 5, 5).value).toBeCloseTo(1);
  expect(seen(...settled, 5, 5, 5, 1, 5, 5, 5).value).toBeCloseTo(1);
});

test('what is within a factor of two goes in with a tenth', () => {
  const rate = seen(...Array.from({ length: 10 }, () => 1), 1.5);
  // the eleventh: max(1/11, 0.1) of ln 1.5
  expect(rate.value).toBeCloseTo(1.5 ** 0.1);
});

test('the error counts outliers, 10 at most, and the bias has a sign', () => {
  // |3 − 1| / 1 = 2, then half of the way to |0.5 − 1| = 0.5: 1.25; bias 2, then (2 − 0.5) / 2 = 0.75
  const rate = seen(3, 0.5);
  expect(rate.meanError).toBeCloseTo(1.25);
  expect(rate.meanBias).toBeCloseTo(0.75);
  expect(seen(1_000).meanError).toBe(10);
});

test('a phase that took no time is a rate above 0', () => {
  expect(seen(0).value).toBeGreaterThan(0);
});
