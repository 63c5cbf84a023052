import type { WindowedConsumer } from '#lib/bus/port';
import { ShardIntake } from './shard-intake';

/** Consumers that note what is asked of them; each step takes a turn of the event loop. */
function intake(failing: readonly string[] = []) {
  const calls: string[] = [];
  let made = 0;
  const step = (what: string): Promise<void> =>
    new Promise((resolve, reject) =>
      setImmediate(() => {
        calls.push(what);
        if (failing.includes(what)) reject(new Error(`${what} failed`));
        else resolve();
      }),
    );
  const make = (): WindowedConsumer => {
    const id = ++made;
    return {
      start: () => step(`start ${id}`),
      stop: () => step(`stop ${id}`),
      idle: () => Promise.resolve(),
      inFlight: () => 0,
      whyNotReady: () => null,
    };
  };
  return { calls, intake: new ShardIntake(make, (error) => void calls.push(String(error))) };
}

test('it joins, leaves and joins again with a new member, in turn', async () => {
  const { calls, intake: shards } = intake();
  expect(shards.whyNotReady()).toBe('its partitions are left to other workers');
  await shards.join();
  expect(shards.whyNotReady()).toBeNull();
  await shards.leave();
  expect(shards.whyNotReady()).toBe('its partitions are left to other workers');
  await shards.join();
  await shards.stop();
  expect(calls).toEqual(['start 1', 'stop 1', 'start 2', 'stop 2']);
});

test('of wishes that come while one is done the last counts', async () => {
  const { calls, intake: shards } = intake();
  const all = [shards.join(), shards.leave(), shards.join()];
  await Promise.all(all);
  expect(calls).toEqual(['start 1']);
  await shards.stop();
  await shards.join();
  expect(calls).toEqual(['start 1', 'stop 1']);
});

test('a member that can not leave, or join, is reported, and the next wish is still followed', async () => {
  const { calls, intake: shards } = intake(['stop 1', 'start 2']);
  await shards.join();
  await shards.leave();
  await shards.join();
  await shards.leave();
  await shards.join();
  expect(calls).toEqual([
    'start 1',
    'stop 1',
    'Error: stop 1 failed',
    'start 2',
    'Error: start 2 failed',
    'stop 2',
    'start 3',
  ]);
  await shards.stop();
});
