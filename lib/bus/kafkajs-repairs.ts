import { AsyncLocalStorage } from 'node:async_hooks';
import { installCodecs } from './compression';
import { crc32c } from './crc32c';
import { holdLargePieces } from './encoder-repair';
import { skipUnreadableBatches } from './fetch-repair';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

interface ConsumerGroup {
  memberId: string | null;
  connect(): Promise<void>;
}

let repaired = false;
const memberIdToKeep = new AsyncLocalStorage<string | null>();

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

/**
 * A consumer that starts again after a crash joins as a new member, and the group stands still until the
 * session of its old self is over. With its old id it goes on at once (an id that the coordinator no longer
 * knows is given up by kafkajs itself).
 */
function keepMemberIds(): void {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { prototype: ConsumerGroup };
  const connect = prototype.connect;
  prototype.connect = function (this: ConsumerGroup): Promise<void> {
    this.memberId ??= memberIdToKeep.getStore() ?? null;
    return connect.call(this);
  };
}

/** Runs `start` so that the consumer it starts joins its group as the member of that id. */
export function asMember<T>(memberId: string | null, start: () => T): T {
  return memberIdToKeep.run(memberId, start);
}

function holdPieces(): void {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { prototype } = require('kafkajs/src/protocol/encoder') as {
    prototype: Parameters<typeof holdLargePieces>[0];
  };
  holdLargePieces(prototype);
}

/**
 * kafkajs takes its checksums a byte at a time: 8 ms for the 4 MB of outcomes of a large round. Its record batches load
 * theirs with the first that is produced, and so find this one in its place.
 */
function sumFaster(): void {
  const path = require.resolve('kafkajs/src/protocol/recordBatch/crc32C');
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  require(path);
  require.cache[path]!.exports = crc32c;
}

export function repairKafkajs(): void {
  if (repaired) return;
  repaired = true;
  sumFaster();
  holdPieces();
  stopIdleTimers();
  keepMemberIds();
  installCodecs();
  skipUnreadableBatches();
}
