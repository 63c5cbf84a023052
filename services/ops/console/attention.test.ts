import { Attention } from './attention';

test('looks are seldom while nobody watches or asks', () => {
  let [now, viewers] = [0, 0];
  const attention = new Attention(
    2_000,
    () => viewers,
    () => now,
  );
  expect(attention.paceMs()).toBe(8_000);
  viewers = 1;
  expect(attention.paceMs()).toBe(2_000);
  viewers = 0;
  attention.asked();
  now = 9_999;
  expect(attention.paceMs()).toBe(2_000);
  now = 10_000;
  expect(attention.paceMs()).toBe(8_000);
});

test.each([
  [5_000, 10_000],
  [10_000, 10_000],
  [60_000, 60_000],
  [200, 800],
])('of an interval of %i ms: every %i ms', (intervalMs, pace) =>
  expect(new Attention(intervalMs, () => 0).paceMs()).toBe(pace),
);
