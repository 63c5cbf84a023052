import { TravelMatrices } from '#lib/travel-matrices';
import { practiceRounds } from './practice-rounds';
import type { CutResult } from './cut-messages';

test('a practice round is read and cut into many shards', () => {
  const first = practiceRounds(new TravelMatrices('no such folder')).next();
  const { shards, counts } = first.value as CutResult;
  expect(shards).toHaveLength(32);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20_000);
});
