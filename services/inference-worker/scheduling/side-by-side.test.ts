import { threadsOf } from './side-by-side';

test('instances on a processor are threads; where a GPU has one it shares itself out', () => {
  expect(threadsOf([{ kind: 'KIND_CPU', count: 2 }])).toBe(2);
  const groups = [
    { kind: 'KIND_CPU', count: 2 },
    { kind: 'KIND_CPU', count: 3 },
  ];
  expect(threadsOf(groups)).toBe(5);
  expect(threadsOf([{ kind: 'KIND_GPU', count: 2 }])).toBeNull();
  expect(threadsOf([])).toBeNull();
});
