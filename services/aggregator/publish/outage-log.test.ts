import { createTelemetry } from '#lib/telemetry';
import { aggregatorEvents } from '../events';
import { OutageLog } from './outage-log';

const log = () => new OutageLog(aggregatorEvents(createTelemetry({ service: 'test', logLevel: 'silent' })));

test('a time span meets the outages that overlap it, Redis before Kafka', () => {
  jest.useFakeTimers({ now: 1_000 });
  const outages = log();
  outages.began('kafka');
  jest.setSystemTime(2_000);
  outages.over('kafka');
  expect(outages.met(0, 999)).toBeNull();
  expect(outages.met(0, 1_000)).toBe('kafka');
  expect(outages.met(1_500, 1_600)).toBe('kafka');
  expect(outages.met(2_001, 3_000)).toBeNull();
  outages.began('redis', 1_900);
  expect(outages.met(1_950, 1_960)).toBe('redis');
  expect(outages.met(9_000, 9_001)).toBe('redis');
  expect(outages.isOpen('redis')).toBe(true);
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
