import { inPassesOf, threadsOf } from './side-by-side';

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

test('passes take what all instances batch, where a GPU batches', () => {
  const gpu = (count: number) => [{ kind: 'KIND_GPU', count }];
  expect(inPassesOf({ groups: gpu(2), maxBatch: 8 })).toBe(16);
  // A batch of rows is no number of requests.
  expect(inPassesOf({ groups: gpu(1), maxBatch: 4_096 })).toBe(32);
  expect(inPassesOf({ groups: gpu(2), maxBatch: 0 })).toBeNull();
  expect(inPassesOf({ groups: [{ kind: 'KIND_CPU', count: 2 }], maxBatch: 8 })).toBeNull();
});
