import { growthOf, type PriorityCounts } from './admission-growth';

const none: PriorityCounts = {
  priority: 'default',
  queued_now: 0,
  started_at_once: 0,
  queued: 0,
  started_later: 0,
  refused_full: 0,
  refused_hopeless: 0,
  displaced: 0,
  late: 0,
  expired_queued: 0,
  expired_running: 0,
  cancelled_queued: 0,
  cancelled_running: 0,
  wait_seconds: 0,
  waits: [
    { up_to_ms: 1, requests: 0 },
    { up_to_ms: Infinity, requests: 0 },
  ],
};

test('an engine that is seen for the first time has all its counts as growth', () => {
  const now = {
    ...none,
    queued: 3,
    wait_seconds: 0.5,
    waits: [{ up_to_ms: 1, requests: 2 }, none.waits[1]!],
  };
  expect(growthOf(now, undefined)).toEqual({ ends: [['queued', 3]], waits: { counts: [2, 0], sum: 0.5 } });
});

test('later only what came since', () => {
  const before = { ...none, started_at_once: 10, refused_full: 1 };
  const now = {
    ...before,
    started_at_once: 14,
    wait_seconds: 1,
    waits: [none.waits[0]!, { up_to_ms: Infinity, requests: 1 }],
  };
  expect(growthOf(now, before)).toEqual({
    ends: [['started_at_once', 4]],
    // Four that started at once waited less than a millisecond.
    waits: { counts: [4, 1], sum: 1 },
  });
  expect(growthOf(now, now)).toEqual({ ends: [], waits: { counts: [], sum: 0 } });
});
