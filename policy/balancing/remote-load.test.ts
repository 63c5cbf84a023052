import { LoadView } from './remote-load';
import { defaultRouterSettings } from './settings';

const settings = { ...defaultRouterSettings, reportFadesMs: 100 };
const view = () => new LoadView<{ sentMs: number; serviceMs: number }>(settings);

test('without a report its own work is what waits', () => {
  const load = view();
  const first = { sentMs: 0, serviceMs: 30 };
  load.sent(first);
  load.sent({ sentMs: 1, serviceMs: 12 });
  expect([load.waitMs(5), load.inFlight, load.oldest()]).toEqual([42, 2, first]);
  load.left(first);
  load.left(first);
  expect([load.waitMs(5), load.inFlight]).toEqual([12, 1]);
});

test('a report, and of its own work what was sent since, over the lanes', () => {
  const load = view();
  const before = { sentMs: 0, serviceMs: 30 };
  load.sent(before);
  load.sent({ sentMs: 8, serviceMs: 20 });
  load.reported({ waitMs: 50, lanes: 2, atMs: 5 });
  // 50, and 20 over two lanes; what was sent at 0 is in the 50.
  expect(load.waitMs(5)).toBeCloseTo(60);
  load.left(before);
  expect(load.waitMs(5)).toBeCloseTo(60);
});

test('a report fades to the mean of all', () => {
  const load = view();
  load.reported({ waitMs: 100, lanes: 1, atMs: 0 });
  load.reported({ waitMs: 0, lanes: 1, atMs: 10 });
  // The mean is 100 + 0.2 × (0 − 100) = 80: 0 at once, 80 × (1 − 1/e) after 100 ms, 80 in the end.
  expect(load.waitMs(10)).toBeCloseTo(0);
  expect(load.waitMs(110)).toBeCloseTo(80 * (1 - Math.exp(-1)));
  expect(load.waitMs(1e6)).toBeCloseTo(80);
});

test('an older report than the last is not taken', () => {
  const load = view();
  load.reported({ waitMs: 10, lanes: 1, atMs: 20 });
  load.reported({ waitMs: 500, lanes: 1, atMs: 19 });
  expect(load.waitMs(20)).toBeCloseTo(10);
});
