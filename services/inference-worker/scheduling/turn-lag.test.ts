import { TurnLag } from './turn-lag';

test('the worst of late counts, and is forgotten', () => {
  const lag = new TurnLag();
  for (const ms of [1, 8, 2]) lag.observe(ms);
  expect(lag.ms).toBeCloseTo(8 * 0.95);
  for (let i = 0; i < 28; i += 1) lag.observe(0.1);
  // 8 · 0.95²⁹
  expect(lag.ms).toBeCloseTo(1.807, 2);
});

test('a process that stood still for a second is not that late the next time', () => {
  const lag = new TurnLag();
  lag.observe(1_000);
  expect(lag.ms).toBe(50);
});
