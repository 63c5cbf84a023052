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

test('a message in work is kept without the response that it came in', () => {
  const handled: BusMessage[] = [];
  const owner: PartitionOwner = {
    handle: (message) => (handled.push(message), new Promise(() => undefined)),
    onProgress: () => undefined,
    onHandlerFailed: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  };
  const partition = new OwnedPartition('t', 0, 100, Infinity, owner);
  partition.open();
  const response = Buffer.alloc(4_194_304, 7);
  const [key, value] = [response.subarray(10, 14), response.subarray(100, 116)];
  const message = { topic: 't', partition: 0, headers: {}, timestamp: 0 as UnixMs };
  partition.add([
    { ...message, offset: 0n, key, value },
    { ...message, offset: 1n, key: null, value: null },
  ]);
  expect(handled[0]).toEqual({ ...message, offset: 0n, key: Buffer.alloc(4, 7), value: Buffer.alloc(16, 7) });
  expect([handled[0]!.key, handled[0]!.value].map((bytes) => bytes!.buffer.byteLength)).toEqual([4, 16]);
  expect(handled[1]).toEqual({ ...message, offset: 1n, key: null, value: null });
});
