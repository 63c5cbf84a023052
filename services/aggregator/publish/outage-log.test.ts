import { createTelemetry } from '#lib/telemetry';
import { aggregatorEvents } from '../events';
import { OutageLog } from './outage-log';

const log = () => new OutageLog(aggregatorEvents(createTelemetry({ service: 'test', logLevel: 'silent' })));

test('a time span meets the outages that overlap it', () => {
  jest.useFakeTimers({ now: 1_000 });
  const outages = log();
  outages.began('kafka');
  jest.setSystemTime(2_000);
  outages.over('kafka');
  expect(outages.met(0, 999)).toBeNull();
  expect(outages.met(0, 1_000)).toBe('kafka');
  expect(outages.met(1_500, 1_600)).toBe('kafka');
  expect(outages.met(4_000, 5_000)).toBe('kafka'); // 2,000 + 2,000
  expect(outages.met(4_001, 5_000)).toBeNull();
  outages.began('redis', 1_900);
  expect(outages.met(1_950, 1_960)).toBe('redis');
  expect(outages.met(9_000, 9_001)).toBe('redis');
  expect(outages.isOpen('redis')).toBe(true);
  jest.useRealTimers();
});

test('of several outages the one that took most of the time counts, else the last', () => {
  jest.useFakeTimers({ now: 10_000 });
  const outages = log();
  outages.happened('aggregator', 9_500); // 9,500 to 10,000
  jest.setSystemTime(10_400);
  outages.happened('redis', 10_200); // 10,200 to 10,400
  outages.began('kafka', 10_300);
  expect(outages.met(9_000, 10_500)).toBe('aggregator'); // 500 ms, 200 ms, 200 ms
  expect(outages.met(9_900, 10_550)).toBe('kafka'); // 100 ms, 200 ms, 250 ms
  jest.setSystemTime(10_600);
  outages.over('kafka');
  outages.happened('redis', 10_550); // 50 ms more
  expect(outages.met(10_000, 10_600)).toBe('kafka'); // 300 ms against 250 ms
  expect(outages.met(11_000, 11_500)).toBe('redis'); // none took of it, Redis was back last
  jest.useRealTimers();
});

test('what many rounds tell of one outage counts once', () => {
  jest.useFakeTimers({ now: 10_000 });
  const outages = log();
  outages.happened('redis', 9_000); // 1,000 ms
  jest.setSystemTime(10_150);
  for (let round = 0; round < 50; round++) outages.happened('kafka', 10_000 + round); // 10,000 to 10,150
  expect(outages.met(9_000, 10_200)).toBe('redis'); // 1,000 ms against 150 ms, not 50 times about 125 ms
  jest.useRealTimers();
});

test('an end without a begin, or a second begin, changes nothing', () => {
  const outages = log();
  outages.over('redis');
  expect(outages.met(0, Date.now() + 1)).toBeNull();
  outages.began('redis', 10);
  outages.began('redis', 20);
  expect(outages.met(10, 11)).toBe('redis');
});

test('an outage that is known only when it is over counts from its begin on', () => {
  jest.useFakeTimers({ now: 10_000 });
  const outages = log();
  outages.happened('redis', 9_000);
  expect(outages.met(0, 8_999)).toBeNull();
  expect(outages.met(9_500, 9_600)).toBe('redis');
  expect(outages.isOpen('redis')).toBe(false);
  jest.useRealTimers();
});
