import { busyPause } from './busy-pause';

test('doubles from 5 ms to 200 ms', () => {
  const pauses = Array.from({ length: 8 }, (_, attempt) => busyPause(attempt, 60_000, 1));
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 200, 200]);
});

test('is spread over the upper half', () => {
  // 40 ms at the third repetition: 20 to 40.
  expect(busyPause(3, 60_000, 0)).toBe(20);
  expect(busyPause(3, 60_000, 0.5)).toBe(30);
});

test('takes an eighth of the time that is left at most, but 5 ms', () => {
  expect(busyPause(10, 800, 1)).toBe(100);
  expect(busyPause(10, 16, 1)).toBe(5);
});

test('there is no attempt after the end', () => {
  expect(busyPause(0, 5, 1)).toBeNull();
  expect(busyPause(0, 2, 0)).toBeNull();
  expect(busyPause(0, 3, 0)).toBe(2.5);
});
