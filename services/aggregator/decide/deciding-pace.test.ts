import { DecidingPace } from './deciding-pace';

test('a slow decision counts at once, faster ones by a tenth', () => {
  const pace = new DecidingPace();
  // 10 + 0.004 · 10,000, and half of the second part
  expect([pace.fullMs(10_000), pace.reducedMs(10_000)]).toEqual([50, 30]);
  pace.learn('full', 10_000, 110);
  expect(pace.fullMs(10_000)).toBeCloseTo(110);
  pace.learn('full', 10_000, 60);
  // 100 + 0.1 · (50 − 100) = 95
  expect(pace.fullMs(10_000)).toBeCloseTo(105);
});

test('a reduced one tells of the full one: twice what is beyond the fixed part', () => {
  const pace = new DecidingPace();
  pace.learn('reduced', 10_000, 90);
  expect(pace.fullMs(10_000)).toBeCloseTo(10 + 2 * 80);
});

test('one stall of minutes costs no more than 0.02 ms a candidate', () => {
  const pace = new DecidingPace();
  pace.learn('full', 10_000, 200_000);
  expect(pace.fullMs(10_000)).toBe(210);
  for (let i = 0; i < 100; i++) pace.learn('reduced', 10_000, 0);
  expect(pace.fullMs(10_000)).toBeLessThan(14);
});

// 150 ms for 100 candidates would make 0.02 ms a candidate of it, and 100,000 candidates seem to take 2 s.
test('nothing is learned from a decision with few candidates', () => {
  const pace = new DecidingPace();
  const before = pace.fullMs(100_000);
  pace.learn('full', 100, 150);
  expect(pace.fullMs(100_000)).toBe(before);
});
