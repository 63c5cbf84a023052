import { setTimeout as sleep } from 'node:timers/promises';
import type { BusMessage, Lease } from '#lib/bus/port';
import { until } from '../support/until';
import { BusBench } from './bus-harness';

const bench = new BusBench('bus-stop');

afterAll(async () => {
  await bench.stopConsumers();
  await bench.bus.close();
}, 30_000);

test('a stop hands partitions over at once, whatever is in work; nothing of it is committed afterwards', async () => {
  const producer = await bench.bus.producer();
  const topic = await bench.freshTopic(2);
  const send = (text: string) =>
    Promise.all(
      [0, 1].map((p) => producer.send([{ topic, partition: p, key: null, value: Buffer.from(text) }])),
    );
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  const inWork: Lease[] = [];
  let firstOwns: readonly Lease[] = [];
  const hang = async (message: BusMessage, lease: Lease): Promise<void> => {
    if (message.value!.toString() === 'quick') return;
    inWork.push(lease);
    await held;
  };
  const first = await bench.consume(topic, hang, {
    drainMs: 100,
    onAssigned: (leases) => void (firstOwns = leases),
  });
  const seen: string[] = [];
  let secondOwns: readonly Lease[] = [];
  await bench.consume(
    topic,
    async ({ partition, value }) => void seen.push(`${partition} ${value!.toString()}`),
    { drainMs: 100, onAssigned: (leases) => void (secondOwns = leases) },
  );
  await until(() => firstOwns.length === 1 && secondOwns.length === 1, 'one partition each');
  const mine = firstOwns[0]!.partition;
  await send('quick');
  await send('long');
  await until(() => inWork.length === 1, 'the long one in work');
  await until(async () => (await bench.committed(topic))[mine] === '1', 'the quick one is committed');

  const stopBegan = performance.now();
  await first.stop();
  await until(() => secondOwns.length === 2, 'the other has both');
  await send('new');
  await until(() => seen.includes(`${mine} new`), 'the new message, elsewhere');
  // The session is ten seconds, and so is the longest wait for a rebalance.
  expect(performance.now() - stopBegan).toBeLessThan(9_500);
  expect(seen.filter((text) => text.startsWith(`${mine} `))).toEqual([`${mine} long`, `${mine} new`]);
  expect({ stillInWork: first.inFlight(), owned: inWork[0]!.isOwned() }).toEqual({
    stillInWork: 1,
    owned: false,
  });

  // 0 quick, 1 long and 2 new, all of them by the second
  await until(
    async () => Object.values(await bench.committed(topic)).every((offset) => offset === '3'),
    'committed',
  );
  await first.idle(50);
  expect(first.inFlight()).toBe(1);
  release();
  await first.idle(5_000);
  expect(first.inFlight()).toBe(0);
  await sleep(300);
  expect(await bench.committed(topic)).toEqual({ 0: '3', 1: '3' }); // the first's offset would have been 2
}, 60_000);
