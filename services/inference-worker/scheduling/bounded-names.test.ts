import { BoundedNames } from './bounded-names';

test('names beyond the bound are one', () => {
  const names = new BoundedNames(2);
  expect(['a', 'b', 'c', 'd', 'a'].map((name) => names.nameOf(name))).toEqual([
    'a',
    'b',
    'other',
    'other',
    'a',
  ]);
});
