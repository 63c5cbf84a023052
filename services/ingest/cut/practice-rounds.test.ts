import { TravelMatrices } from '#lib/travel-matrices';
import { practiceRounds } from './practice-rounds';

test('a practice round is read and cut into many shards', () => {
  for (const { shards, counts } of practiceRounds(new TravelMatrices('no such folder'))) {
    expect(shards).toHaveLength(32);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20_000);
    return;
  }
  throw new Error('nothing was cut');
});
