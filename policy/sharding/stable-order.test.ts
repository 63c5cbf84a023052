import { stableOrder } from './stable-order';

test('ascending keys, equal ones by position, up to 2^53 − 1', () => {
  let state = 11;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  for (const largest of [1, 7, 65_536, 2 ** 31, 2 ** 49, Number.MAX_SAFE_INTEGER]) {
    const keys = Float64Array.from({ length: 500 }, () => Math.floor((random(1_000) / 999) * largest));
    const expected = [...keys.keys()].sort((a, b) => keys[a]! - keys[b]! || a - b);
    expect([...stableOrder(keys)]).toEqual(expected);
  }
});

test('no keys, and keys of 0', () => {
  expect([...stableOrder(new Float64Array(0))]).toEqual([]);
  expect([...stableOrder(new Float64Array(3))]).toEqual([0, 1, 2]);
});
