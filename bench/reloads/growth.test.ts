import { growthOf, slopeOf } from './growth';

const noise = (i: number): number => (i * 7_919) % 1_000_003;

test('a leak of 2,000 bytes an operation is seen under a megabyte of noise', () => {
  const values = Array.from({ length: 250 }, (_, i) => 1e8 + 2_000 * i + noise(i));
  // The noise of the lowest of ten readings is about 100 kB over the 120 operations of half a run: below 1 kB each.
  expect(Math.abs(slopeOf(values) - 2_000)).toBeLessThan(1_000);
});

test('memory that is level, and a spike, count as nothing', () => {
  const values = Array.from({ length: 250 }, (_, i) => 1e8 + (i > 100 && i < 120 ? 5e7 : 0));
  expect(slopeOf(values)).toBe(0);
});

test('what comes in the first 50 operations is left out', () => {
  const values = Array.from({ length: 300 }, (_, i) => 1e8 + 1e6 * Math.min(i, 49));
  expect(growthOf(values)).toMatchObject({ rssBytesAnOperation: 0, rssMbAfterWarmUp: 149, rssMbAtEnd: 149 });
});
