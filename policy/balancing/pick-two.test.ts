import { mixedRandom } from '../scheduling/simulation/mixed-random';
import { pickTwo } from './pick-two';

const random = mixedRandom(1);
const unit = () => random.unit();

test('none, one, two', () => {
  expect(pickTwo([], () => true, unit)).toEqual([]);
  expect(pickTwo(['a'], () => true, unit)).toEqual(['a']);
  expect(pickTwo(['a', 'b'], () => true, unit).toSorted()).toEqual(['a', 'b']);
  expect(pickTwo(['a', 'b', 'c'], (item) => item === 'b', unit)).toEqual(['b']);
});

test('all pairs of those that suit come about as often', () => {
  const counts = new Map<string, number>();
  for (let draw = 0; draw < 6_000; draw += 1) {
    const pair = pickTwo([0, 1, 2, 3, 4], (item) => item !== 2, unit)
      .toSorted()
      .join();
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  // Six pairs of four items, 1,000 each.
  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});

test('the only two of 100 are found though 16 draws hardly see them', () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  for (let draw = 0; draw < 20; draw += 1)
    expect(pickTwo(all, (item) => item >= 98, unit).toSorted()).toEqual([98, 99]);
});
