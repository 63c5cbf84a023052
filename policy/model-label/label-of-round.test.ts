import type { RoundId, RunId, TenantId } from '#schemas/brands';
import { labelOfRound, ticketOf } from './label-of-round';

const key = (i: number, run = 'live') => ({
  tenantId: 't' as TenantId,
  runId: run as RunId,
  roundId: `round-${i}` as RoundId,
});
const share = (part: number, rounds = 20_000): number => {
  let canaries = 0;
  for (let i = 0; i < rounds; i += 1) if (labelOfRound(key(i), undefined, part) === 'canary') canaries += 1;
  return canaries / rounds;
};

test('a round keeps the label that it names', () => {
  expect(labelOfRound(key(1), 'stable', 1)).toBe('stable');
  expect(labelOfRound(key(1), 'canary', 0)).toBe('canary');
});

test('of 20,000 rounds the share gets canary', () => {
  expect(share(0)).toBe(0);
  expect(share(1)).toBe(1);
  // 10 %: a standard deviation is sqrt(0.1 · 0.9 / 20,000) = 0.2 %; five of them are 1.1 %.
  expect(Math.abs(share(0.1) - 0.1)).toBeLessThan(0.011);
});

test('a round is decided by its ids alone, and a larger share keeps those of a smaller one', () => {
  for (let i = 0; i < 1_000; i += 1) {
    expect(ticketOf(key(i))).toBe(ticketOf({ ...key(i) }));
    if (labelOfRound(key(i), undefined, 0.1) === 'canary') {
      expect(labelOfRound(key(i), undefined, 0.2)).toBe('canary');
    }
  }
  expect(ticketOf(key(1))).not.toBe(ticketOf(key(1, 'replay')));
});
