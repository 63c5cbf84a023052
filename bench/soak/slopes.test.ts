import { growthOf, growthPerHour, type Sample } from './slopes';

/** One a minute. */
const life = (minutes: number, of: (minute: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: minutes + 1 }, (_, minute) => ({
    atMs: minute * 60_000,
    rssMb: 100,
    fds: 30,
    handles: 10,
    ...of(minute),
  }));

test('a steady growth is told an hour; one peak is none', () => {
  // 0.1 MB a minute are 6 MB an hour.
  expect(
    growthPerHour(
      life(60, (minute) => ({ rssMb: 100 + 0.1 * minute })),
      'rssMb',
    ),
  ).toBeCloseTo(6);
  expect(
    growthPerHour(
      life(60, (minute) => ({ rssMb: minute === 30 ? 900 : 100 })),
      'rssMb',
    ),
  ).toBe(0);
  expect(growthPerHour([], 'fds')).toBeNaN();
});

test('what comes in the first five minutes is left out; a leak of descriptors is a growth', () => {
  const settles = life(60, (minute) => ({ rssMb: Math.min(200, 100 + 20 * minute) }));
  expect(growthOf(settles)).toMatchObject({ minutes: 55, rssMbPerHour: 0, grows: false });
  // One in ten minutes: 6 an hour.
  const leaks = life(60, (minute) => ({ fds: 30 + Math.floor(minute / 10) }));
  expect(growthOf(leaks).grows).toBe(true);
});

test('a short life tells nothing; one without handles is judged by the rest', () => {
  expect(growthOf(life(20, () => ({})))).toMatchObject({ minutes: 15, grows: null });
  expect(growthOf(life(40, () => ({ handles: NaN })))).toMatchObject({ handlesPerHour: NaN, grows: false });
});
