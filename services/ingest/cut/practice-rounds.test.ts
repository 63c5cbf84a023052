import { TravelMatrices } from '#lib/travel-matrices';
import { practiceRounds } from './practice-rounds';

test('a practice round is read and cut into many shards', () => {
  const { shards, counts } = practiceRounds(new TravelMatrices('no such folder')).next().value!;
  expect(shards).toHaveLength(32);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20_000);
});
