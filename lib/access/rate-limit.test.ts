import { RateLimit } from './rate-limit';

const twoASecond = { perSecond: 2, burst: 4 };

test('a burst, then as much as comes back', () => {
  const limit = new RateLimit();
  const take = (now: number) => limit.take('a', twoASecond, now);
  expect([0, 0, 0, 0, 0].map(take)).toEqual([0, 0, 0, 0, 500]); // 1 token at 2 a second
  expect(take(499)).toBe(1); // 0.998 of one
  expect(take(500)).toBe(0);
  expect(take(10_500)).toBe(0); // 20 came back, 4 are kept
  expect([10_500, 10_500, 10_500, 10_500].map(take)).toEqual([0, 0, 0, 500]);
});

test('a clock that steps back gives nothing', () => {
  const limit = new RateLimit();
  for (let i = 0; i < 4; i++) limit.take('a', twoASecond, 1_000);
  expect(limit.take('a', twoASecond, 0)).toBe(500);
});

test('names have buckets of their own, and only so many are kept', () => {
  const limit = new RateLimit(2);
  for (const name of ['a', 'b']) for (let i = 0; i < 4; i++) limit.take(name, twoASecond, 0);
  expect(limit.take('a', twoASecond, 0)).toBe(500); // heard of again
  limit.take('c', twoASecond, 0); // b is forgotten
  expect(limit.take('a', twoASecond, 0)).toBe(500);
  expect(limit.take('b', twoASecond, 0)).toBe(0);
});
