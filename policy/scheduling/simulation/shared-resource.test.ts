import { SharedResource } from './shared-resource';

test('jobs that do not fit together slow each other down; none of the work is lost', () => {
  const resource = new SharedResource(1);
  resource.add('a', 10, 1, 0);
  resource.add('b', 20, 1, 0);
  // Half speed each: a's 10 ms take 20, and b has 10 left then, alone.
  expect(resource.next()).toEqual({ id: 'a', atMs: 20 });
  resource.remove('a', 20);
  expect(resource.next()).toEqual({ id: 'b', atMs: 30 });
  resource.remove('b', 30);
  expect([resource.next(), resource.isBusy, resource.peakJobs]).toEqual([null, false, 2]);
  expect(resource.usedMs).toBeCloseTo(30);
});

test('small ones run side by side', () => {
  const resource = new SharedResource(1);
  resource.add('a', 10, 0.5, 0);
  resource.add('b', 10, 0.5, 4);
  expect(resource.next()).toEqual({ id: 'a', atMs: 10 });
  resource.remove('a', 10);
  expect(resource.next()).toEqual({ id: 'b', atMs: 14 });
});

test('a slowdown holds from when it begins', () => {
  const resource = new SharedResource(1);
  resource.add('a', 10, 1, 0);
  resource.slowDown(2, 5);
  expect(resource.next()).toEqual({ id: 'a', atMs: 15 }); // 5 done, 5 at half the speed
});
