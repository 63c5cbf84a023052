import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UnixMs } from '#schemas/brands';
import { OwnedPartition, type PartitionOwner } from './owned-partition';
import type { BusMessage } from './port';

const messages = (count: number): BusMessage[] =>
  Array.from({ length: count }, (_, offset) => ({
    topic: 't',
    partition: 0,
    offset: BigInt(offset),
    key: null,
    value: Buffer.from('x'),
    headers: {},
    timestamp: 0 as UnixMs,
  }));

/** Takes the event loop longer than a turn for each. */
function busyOwner(seen: bigint[]): PartitionOwner {
  return {
    handle: ({ offset }) => {
      seen.push(offset);
      const until = performance.now() + 6;
      while (performance.now() < until);
      return new Promise(() => undefined);
    },
    onProgress: () => undefined,
    onHandlerFailed: (error) => {
      throw error;
    },
    pause: () => undefined,
    resume: () => undefined,
  };
}

// Guards against timers that come late since hundreds of messages came together.
test('others have their turn between messages that keep the event loop busy', async () => {
  const seen: bigint[] = [];
  const partition = new OwnedPartition('t', 0, 100, Infinity, busyOwner(seen));
  partition.open();
  partition.add(messages(4));
  expect(seen).toEqual([0n]);
  partition.add([]);
  expect(seen).toEqual([0n]);
  await nextTurn();
  await nextTurn();
  expect(seen.length).toBeLessThanOrEqual(3);
  while (seen.length < 4) await nextTurn();
  expect(seen).toEqual([0n, 1n, 2n, 3n]);
});

test('what a revoke leaves is not handed out', async () => {
  const seen: bigint[] = [];
  const partition = new OwnedPartition('t', 0, 100, Infinity, busyOwner(seen));
  partition.open();
  partition.add(messages(4));
  partition.revoke();
  await nextTurn();
  await nextTurn();
  expect(seen).toEqual([0n]);
});
