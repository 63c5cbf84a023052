import { growthOf, residentBytes, slopeOf, type Reading } from './growth';

function readings(bytesAt: (operations: number) => number): Reading[] {
  return Array.from({ length: 12 }, (_, i) => {
    const operations = 25 * (i + 1);
    const rss = bytesAt(operations);
    return { operations, bytes: { rss, own: rss - 6e7, files: 6e7, shared: 0 } };
  });
}

test('a leak of 2,000 bytes an operation is one, with and without two readings that are off', () => {
  expect(
    slopeOf(
      readings((n) => 1e8 + 2_000 * n),
      'rss',
    ),
  ).toBe(2_000);
  const off = readings((n) => 1e8 + 2_000 * n + (n === 100 || n === 200 ? 3e6 : 0));
  expect(Math.abs(slopeOf(off, 'rss') - 2_000)).toBeLessThan(500);
  expect(growthOf(off).parts).toMatchObject({ files: 0, shared: 0 });
});

test('memory that is level is none, and what comes in the first 50 operations is left out', () => {
  const early = growthOf(readings((n) => 1e8 + 1e5 * Math.min(n, 50)));
  expect(early).toMatchObject({ rssBytesAnOperation: 0, parts: { own: 0, files: 0, shared: 0 } });
});

test('no readings, no growth', () => {
  expect(growthOf([])).toEqual({ rssBytesAnOperation: 0, parts: { own: 0, files: 0, shared: 0 }, rssMb: [] });
});

test('the parts of a process are all of it', () => {
  const { rss, own, files, shared } = residentBytes(process.pid);
  expect(rss).toBeGreaterThan(1e7);
  // The kernel counts them one after the other while the process runs.
  expect(Math.abs(rss - own - files - shared)).toBeLessThan(rss / 10);
});
