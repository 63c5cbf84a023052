import { RemoteHealth } from './remote-health';
import { defaultRouterSettings } from './settings';

const settings = {
  ...defaultRouterSettings,
  ejectAfter: 2,
  ejectShare: 0.5,
  ejectMs: 500,
  ejectLongestMs: 1_500,
};

function ready(): RemoteHealth {
  const health = new RemoteHealth(settings);
  health.probeBegins();
  health.probed(true, 0);
  return health;
}

test('a new one is probed first and begins with one attempt; each good answer doubles that', () => {
  const health = new RemoteHealth(settings);
  expect([health.isOut, health.probeIsDue(0)]).toEqual([true, true]);
  health.probeBegins();
  expect(health.probeIsDue(0)).toBe(false);
  health.probed(true, 5);
  expect([health.isOut, health.window]).toEqual([false, 1]);
  for (let answer = 0; answer < 3; answer += 1) health.succeeded();
  // 1 × 2³
  expect(health.window).toBe(8);
});

test('one failure asks for a probe at once, two in a row put it out for half a second', () => {
  const health = ready();
  for (let answer = 0; answer < 5; answer += 1) health.succeeded();
  health.failed(100);
  expect([health.isOut, health.timesOut, health.probeIsDue(100)]).toEqual([true, 0, true]);
  health.probeBegins();
  health.probed(true, 101);
  expect([health.isOut, health.window]).toEqual([false, 1]);
  health.failed(110);
  expect([health.timesOut, health.nextProbeMs, health.probeIsDue(609)]).toEqual([1, 610, false]);
  expect(health.probeIsDue(610)).toBe(true);
});

test('the time out doubles up to a limit, and one that comes back is out at its first failure', () => {
  const health = ready();
  const outUntil: number[] = [];
  health.failed(0);
  for (let nowMs = 0; outUntil.length < 4;) {
    health.probeBegins();
    health.probed(true, nowMs);
    health.failed(nowMs);
    outUntil.push(health.nextProbeMs - nowMs);
    nowMs = health.nextProbeMs;
  }
  expect(outUntil).toEqual([500, 1_000, 1_500, 1_500]);
});

test('a probe that fails puts it out; so does more than half of failures with good ones between', () => {
  const silent = ready();
  silent.failed(0);
  silent.probeBegins();
  silent.probed(false, 10);
  expect([silent.timesOut, silent.nextProbeMs]).toEqual([1, 510]);
  const flaky = new RemoteHealth({ ...settings, ejectAfter: 100 });
  flaky.probed(true, 0);
  // The share after n failures: 1 − 0.8ⁿ; 0.488 after three, 0.59 after four.
  for (let failure = 1; failure <= 4; failure += 1) {
    flaky.failed(failure);
    flaky.probed(true, failure);
    expect(flaky.timesOut).toBe(failure === 4 ? 1 : 0);
  }
});

test('failures of what it still had while it is out change nothing', () => {
  const health = ready();
  for (const ms of [0, 1, 2, 3, 4]) health.failed(ms);
  // Out at the second, at 1 ms.
  expect([health.timesOut, health.nextProbeMs]).toEqual([1, 501]);
});

test('an ejection is forgiven after 32 good answers in a row', () => {
  const health = ready();
  health.failed(0);
  health.failed(1);
  health.probed(true, 501);
  for (let answer = 0; answer < 31; answer += 1) health.succeeded();
  expect(health.timesOut).toBe(1);
  health.succeeded();
  expect(health.timesOut).toBe(0);
});

test('a full one gets no more than it has', () => {
  const health = ready();
  for (let answer = 0; answer < 6; answer += 1) health.succeeded();
  health.full(5);
  expect(health.window).toBe(5);
  health.full(0);
  expect(health.window).toBe(1);
});

describe('slow', () => {
  test('halves what it may have, once in a quarter of a second', () => {
    const health = ready();
    for (let answer = 0; answer < 5; answer += 1) health.succeeded();
    health.slow(1_000, 20, false);
    health.slow(1_100, 20, false);
    expect([health.window, health.isOut]).toEqual([10, false]);
    health.slow(1_250, 10, false);
    expect(health.window).toBe(5);
  });

  test('and silent: asked first', () => {
    const health = ready();
    health.slow(1_000, 1, true);
    expect([health.isOut, health.isEjected, health.probeIsDue(1_000)]).toEqual([true, false, true]);
    health.probed(true, 1_001);
    expect(health.isOut).toBe(false);
  });
});
