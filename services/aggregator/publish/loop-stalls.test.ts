import { EventEmitter } from 'node:events';
import type { Redis } from '#lib/redis';
import { createTelemetry } from '#lib/telemetry';
import { aggregatorEvents } from '../events';
import { RedisProbe } from '../store/redis-probe';
import { LoopStalls } from './loop-stalls';
import { OutageLog } from './outage-log';

/** The clock goes on, and no timer of ours is called meanwhile. */
const standStill = (ms: number) => jest.setSystemTime(Date.now() + ms);

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

test('what a time span has of our own stalls', () => {
  const stalls = new LoopStalls();
  stalls.start();
  jest.advanceTimersByTime(1_000);
  expect(stalls.stalledMs(0, 1_000)).toBe(0);
  standStill(2_000); // the tick of 1,050 comes at 3,000
  expect(stalls.stalledMs(0, 3_000)).toBe(1_950);
  expect(stalls.stalledMs(2_500, 3_000)).toBe(500);
  jest.advanceTimersByTime(1_000);
  expect(stalls.stalledMs(3_000, 4_000)).toBe(0);
});

/** A connection whose answers the test gives; the probe's judgement is what is tested. */
function probed() {
  const outages = new OutageLog(aggregatorEvents(createTelemetry({ service: 'test', logLevel: 'silent' })));
  const stalls = new LoopStalls();
  stalls.start();
  const answers: { resolve(): void; reject(error: Error): void }[] = [];
  const hset = () =>
    new Promise<void>((resolve, reject) => {
      answers.push({ resolve, reject });
    });
  const redis = Object.assign(new EventEmitter(), { status: 'ready', hset });
  const probe = new RedisProbe(redis as unknown as Redis, 'key', outages, stalls);
  probe.start();
  jest.advanceTimersByTime(100);
  return { outages, answers };
}

test('our own stall is no outage of Redis; an answer that does not come is one, from the question on', async () => {
  const { outages, answers } = probed();
  standStill(5_000);
  answers[0]!.resolve();
  await jest.advanceTimersByTimeAsync(100);
  expect(outages.met(0, Date.now())).toBeNull();
  const askedAt = Date.now();
  await jest.advanceTimersByTimeAsync(400);
  expect(outages.isOpen('redis')).toBe(true);
  expect(outages.met(askedAt, askedAt + 1)).toBe('redis');
  answers[1]!.resolve();
  await jest.advanceTimersByTimeAsync(1);
  expect(outages.isOpen('redis')).toBe(false);
});

test('a Redis that refuses writes is away until it takes one', async () => {
  const { outages, answers } = probed();
  answers[0]!.reject(new Error('OOM command not allowed'));
  await jest.advanceTimersByTimeAsync(1);
  expect(outages.isOpen('redis')).toBe(true);
  await jest.advanceTimersByTimeAsync(100);
  answers[1]!.resolve();
  await jest.advanceTimersByTimeAsync(1);
  expect(outages.isOpen('redis')).toBe(false);
});
