import { repairKafkajs } from './kafkajs-repairs';

jest.useFakeTimers();

/* eslint-disable @typescript-eslint/no-require-imports */
function queueOf(requestTimeout: number) {
  repairKafkajs();
  const RequestQueue = require('kafkajs/src/network/requestQueue') as new (options: object) => {
    readonly inflight: Map<number, object>;
    scheduleRequestTimeoutCheck(): void;
    destroy(): void;
  };
  const logger = { namespace: () => ({ debug: () => undefined }) };
  return new RequestQueue({
    ...{ maxInFlightRequests: null, requestTimeout, enforceRequestTimeout: true },
    ...{ clientId: 'test', broker: 'b', logger, isConnected: () => true },
  });
}
/* eslint-enable @typescript-eslint/no-require-imports */

test.each([
  // A tenth of it, from 100 ms to 1 s
  [10_000, 1_000],
  [5_000, 500],
  [300, 100],
])('of a time-out of %i ms requests are looked at every %i ms', (requestTimeout, everyMs) => {
  const queue = queueOf(requestTimeout);
  const timeoutRequest = jest.fn();
  queue.inflight.set(1, { sentAt: Date.now(), requestTimeout, timeoutRequest });
  queue.scheduleRequestTimeoutCheck();
  jest.advanceTimersByTime(requestTimeout);
  expect(timeoutRequest).not.toHaveBeenCalled();
  jest.advanceTimersByTime(everyMs);
  expect(timeoutRequest).toHaveBeenCalledTimes(1);
  queue.destroy();
  expect(jest.getTimerCount()).toBe(0);
});
