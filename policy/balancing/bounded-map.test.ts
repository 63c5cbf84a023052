import { BoundedMap } from './bounded-map';

test('forgets what was set longest ago', () => {
  const map = new BoundedMap<number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  // `a` was set again after `b`.
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
