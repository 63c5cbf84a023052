import type { RoundhouseError } from '#schemas/errors';
import { CallsUnderWay } from './calls-under-way';

const bounds = { calls: 2, bytes: 100 };

test('calls above either bound are refused until others have ended', () => {
  const underWay = new CallsUnderWay(bounds);
  const first = underWay.enter(60);
  // 60 + 41 = 101 bytes.
  expect(() => underWay.enter(41)).toThrow(expect.objectContaining({ code: 'ENGINE_BUSY' }));
  underWay.enter(40);
  expect(() => underWay.enter(0)).toThrow(/2 calls are under way/);
  first();
  underWay.enter(60);
});

test('a refusal tells the time that remains to the deadline, where there is one', () => {
  const underWay = new CallsUnderWay({ calls: 0, bytes: 0 });
  const remaining = (deadlineMs?: number): unknown => {
    try {
      return underWay.enter(0, deadlineMs);
    } catch (error) {
      return (error as RoundhouseError).remainingMs;
    }
  };
  jest.useFakeTimers({ now: 1_000 });
  expect([remaining(1_250), remaining(900), remaining(Infinity), remaining()]).toEqual([
    250,
    0,
    undefined,
    undefined,
  ]);
  jest.useRealTimers();
});

test('a call ends once', () => {
  const underWay = new CallsUnderWay(bounds);
  const end = underWay.enter(100);
  end();
  end();
  underWay.enter(100);
  expect(() => underWay.enter(1)).toThrow(/100 bytes of requests are under way/);
});
