import { SortedOnDemand } from './sorted-on-demand';

test('gives the positions in order of keys, then of positions, however far it is asked', () => {
  let state = 3;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  for (const length of [0, 1, 2, 3, 10, 257]) {
    const keys = Float64Array.from({ length }, () => random(50));
    const expected = [...keys.keys()].sort((a, b) => keys[a]! - keys[b]! || a - b);
    const sorted = new SortedOnDemand(keys);
    if (length > 2) expect([sorted.at(1), sorted.at(0)]).toEqual([expected[1], expected[0]]);
    expect(Array.from({ length }, (_, rank) => sorted.at(rank))).toEqual(expected);
  }
});
