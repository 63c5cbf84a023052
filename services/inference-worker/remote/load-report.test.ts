import { remoteLoadOf } from './load-report';

const times = { sentMs: 100, receivedMs: 150, receivedUnixMs: 1_000_000 };
const ready = { id: 'cpu', kind: 'cpu', ready: true };
const report = {
  waiting: 3,
  inFlight: 2,
  expectedWaitMs: 40,
  devices: [ready, { ...ready, ready: false }, ready],
  at: 999_990,
};

test('a report, at our own time', () => {
  // 10 ms before its answer came.
  expect(remoteLoadOf(report, times)).toEqual({ waitMs: 40, lanes: 2, atMs: 140 });
});

test('it was made while its attempt was under way, whatever the clock there says', () => {
  const at = (unixMs: number) => remoteLoadOf({ ...report, at: unixMs }, times)?.atMs;
  expect([at(2_000_000), at(0), at(-1e300)]).toEqual([150, 100, 100]);
});

test.each([
  [null],
  ['text'],
  [{}],
  [{ ...report, expectedWaitMs: -1 }],
  [{ ...report, expectedWaitMs: NaN }],
  [{ ...report, expectedWaitMs: '40' }],
  [{ ...report, at: null }],
  [{ ...report, at: Infinity }],
  [{ ...report, devices: 'two' }],
  [{ ...report, devices: [] }],
  [{ ...report, devices: [null, 7] }],
  [{ ...report, devices: Array(257).fill(ready) }],
])('no report: %.60j', (value) => {
  expect(remoteLoadOf(value, times)).toBeNull();
});

test('a wait without end is ten minutes', () => {
  expect(remoteLoadOf({ ...report, expectedWaitMs: Infinity }, times)?.waitMs).toBe(600_000);
});
