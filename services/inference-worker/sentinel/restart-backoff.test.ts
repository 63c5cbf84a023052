import { pauseBeforeRestart } from './restart-backoff';

test('an engine that had settled is followed at once, others after pauses that double up to the last', () => {
  const policy = { firstMs: 50, lastMs: 5_000 };
  // 50 · 2⁶ = 3,200, and 50 · 2⁷ = 6,400 is above the last.
  expect([0, 1, 2, 7, 8, 1_000_000].map((losses) => pauseBeforeRestart(losses, policy))).toEqual([
    0, 50, 100, 3_200, 5_000, 5_000,
  ]);
});
