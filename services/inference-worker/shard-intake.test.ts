import type { WindowedConsumer } from '#lib/bus/port';
import { ShardIntake } from './shard-intake';

/** Consumers that note what is asked of them; each step takes a turn of the event loop. */
function intake() {
  const calls: string[] = [];
  let made = 0;
  const step = (what: string): Promise<void> =>
    new Promise((resolve) => setImmediate(() => resolve(void calls.push(what))));
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
