import { growthOf, slopeOf, type Reading } from './growth';

function readings(bytesAt: (operations: number) => number): Reading[] {
  return Array.from({ length: 12 }, (_, i) => ({ operations: 25 * (i + 1), bytes: bytesAt(25 * (i + 1)) }));
}

test('a leak of 2,000 bytes an operation is one, with and without two readings that are off', () => {
  expect(slopeOf(readings((n) => 1e8 + 2_000 * n))).toBe(2_000);
  const off = slopeOf(readings((n) => 1e8 + 2_000 * n + (n === 100 || n === 200 ? 3e6 : 0)));
  expect(Math.abs(off - 2_000)).toBeLessThan(500);
});

test('memory that is level is none, and what comes in the first 50 operations is left out', () => {
  expect(slopeOf(readings(() => 1e8))).toBe(0);
  expect(growthOf(readings((n) => 1e8 + 1e5 * Math.min(n, 50))).rssBytesAnOperation).toBe(0);
});

test('no readings, no growth', () => {
  expect(growthOf([])).toEqual({ rssBytesAnOperation: 0, rssMb: [] });
});
