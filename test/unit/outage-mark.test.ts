import { outageOf } from '#schemas/outage-mark';
import { headers } from '#schemas/topics';

const record = (sentAt: number | null, appendedAt: number, mark?: string) =>
  outageOf({
    headers: {
      ...(sentAt !== null && { [headers.sentAt]: `${sentAt}` }),
      ...(mark !== undefined && { [headers.outage]: mark }),
    },
    appendedAt,
    deadline: 1_000,
  });

test('a mark is what it says, in time or not', () => {
  expect(record(900, 950, 'redis')).toBe('redis');
  expect(record(900, 1_500, 'aggregator')).toBe('aggregator');
});

test('without a mark: sent in time and more than 100 ms on its way over the deadline is an outage of Kafka', () => {
  expect(record(850, 1_000)).toBeUndefined(); // in time, however long it took
  expect(record(850, 1_001)).toBe('kafka');
  expect(record(901, 1_001)).toBeUndefined(); // 100 ms
  expect(record(900, 1_001)).toBe('kafka');
});

test('without the time of the send, or with text for it, nothing is known', () => {
  expect(record(null, 5_000)).toBeUndefined();
  expect(record(NaN, 5_000)).toBeUndefined();
});
