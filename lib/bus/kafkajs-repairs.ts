import { PartitionAssigners, type Assigner, type PartitionAssigner } from 'kafkajs';
import { installCodecs } from './compression';
import { crc32c } from './crc32c';
import { holdLargePieces } from './encoder-repair';
import { skipUnreadableBatches } from './fetch-repair';

interface SentRequest {
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly inflight: ReadonlyMap<unknown, SentRequest>;
  readonly requestTimeout: number;
  readonly enforceRequestTimeout: boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | null;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
  isConnected(): boolean;
  destroy(): void;
}

interface MarkedAssigner extends Assigner {
  readonly memberIdToKeep?: string | null;
}

interface ConsumerGroup {
  memberId: string | null;
  readonly assigners: readonly MarkedAssigner[];
  connect(): Promise<void>;
}

let repaired = false;

/* eslint-disable @typescript-eslint/no-require-imports */
const requestQueue = (): { readonly prototype: RequestQueue } =>
  require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
/* eslint-enable @typescript-eslint/no-require-imports */

/**
 * kafkajs 2.2.4 sets a timer with a negative delay after every response and again whenever it fires: a
 * wake-up each millisecond on every connection, and TimeoutNegativeWarning on newer Node. The timer only
 * matters while requests wait for their turn.
 */
function stopIdleTimers(): void {
  const { prototype } = requestQueue();
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}

const leastCheckMs = 100;
const mostCheckMs = 1_000;

/** kafkajs looks ten times a second at each connection for requests that took too long: as often as a tenth of that is enough. */
function checkTimeoutsSeldom(): void {
  const { prototype } = requestQueue();
  prototype.scheduleRequestTimeoutCheck = function (this: RequestQueue): void {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    const check = (): void => {
      for (const request of this.inflight.values())
        if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
      if (!this.isConnected()) this.destroy();
    };
    const everyMs = Math.max(leastCheckMs, Math.min(this.requestTimeout / 10, mostCheckMs));
    this.requestTimeoutIntervalId = setInterval(check, everyMs);
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
    this.memberId ??= this.assigners[0]?.memberIdToKeep ?? null;
    return connect.call(this);
  };
}

/** kafkajs' own way to share partitions out, which carries the id that its consumer joins with: nothing else of ours reaches that. */
export function assignerOfMember(memberId: string | null): PartitionAssigner {
  return (config): MarkedAssigner =>
    Object.assign(PartitionAssigners.roundRobin(config), { memberIdToKeep: memberId });
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
  checkTimeoutsSeldom();
  keepMemberIds();
  installCodecs();
  skipUnreadableBatches();
}
