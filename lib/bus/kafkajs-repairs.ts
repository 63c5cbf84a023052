import { installCodecs } from './compression';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

let repaired = false;

/**
 * kafkajs 2.2.4 sets a timer with a negative delay after every response and again whenever it fires: a
 * wake-up each millisecond on every connection, and TimeoutNegativeWarning on newer Node. The timer only
 * matters while requests wait for their turn.
 */
function stopIdleTimers(): void {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}

export function repairKafkajs(): void {
  if (repaired) return;
  repaired = true;
  stopIdleTimers();
  installCodecs();
}
