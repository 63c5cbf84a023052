import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { pino } from 'pino';
import { connectBus, type Bus } from '#lib/bus/kafka';
import type { BusMessage, Lease, WindowedConsumer } from '#lib/bus/port';
import { startStack } from '../support/stack';
import { until } from '../support/until';

const stack = startStack('bus-stop');
const kafka = new Kafka({ brokers: [...stack.brokers], clientId: 'test', logLevel: logLevel.NOTHING });
const topic = `${stack.topicPrefix}t`;
const groupId = `${topic}-group`;
const consumers: WindowedConsumer[] = [];
let bus: Bus;

beforeAll(async () => {
  bus = connectBus({ brokers: stack.brokers, clientId: 'bus-stop', logger: pino({ level: 'silent' }) });
  const limits = { replicationFactor: 1, retentionMs: 600_000, maxMessageBytes: 1_048_576 };
  await bus.ensureTopics([{ topic, partitions: 2, ...limits }]);
}, 30_000);
afterAll(async () => {
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  await bus.close();
}, 30_000);

type Handle = (message: BusMessage, lease: Lease) => Promise<void>;

async function consume(handle: Handle, onAssigned: (leases: readonly Lease[]) => void, drainMs: number) {
  const consumer = bus.windowedConsumer({ groupId, topics: [topic], window: 4, handle, onAssigned, drainMs });
  consumers.push(consumer);
  await consumer.start();
  return consumer;
}

async function committed(): Promise<Record<number, string>> {
  const admin = kafka.admin();
  await admin.connect();
  const [entry] = await admin.fetchOffsets({ groupId, topics: [topic] });
  await admin.disconnect();
  return Object.fromEntries(entry!.partitions.map((p) => [p.partition, p.offset]));
}

test('a stop hands partitions over at once, whatever is in work; nothing of it is committed afterwards', async () => {
  const producer = await bus.producer();
  const send = (text: string) =>
    Promise.all(
      [0, 1].map((p) => producer.send([{ topic, partition: p, key: null, value: Buffer.from(text) }])),
    );
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  const inWork: Lease[] = [];
  let firstOwns: readonly Lease[] = [];
  const hang: Handle = async (message, lease) => {
    if (message.value!.toString() === 'quick') return;
    inWork.push(lease);
    await held;
  };
  const first = await consume(hang, (leases) => (firstOwns = leases), 100);
  const seen: string[] = [];
  let secondOwns: readonly Lease[] = [];
  await consume(
    async ({ partition, value }) => void seen.push(`${partition} ${value!.toString()}`),
    (leases) => (secondOwns = leases),
    100,
  );
  await until(() => firstOwns.length === 1 && secondOwns.length === 1, 'one partition each');
  const mine = firstOwns[0]!.partition;
  await send('quick');
  await send('long');
  await until(() => inWork.length === 1, 'the long one in work');
  await until(async () => (await committed())[mine] === '1', 'the quick one is committed');

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
  await until(async () => Object.values(await committed()).every((offset) => offset === '3'), 'committed');
  await first.idle(50);
  expect(first.inFlight()).toBe(1);
  release();
  await first.idle(5_000);
  expect(first.inFlight()).toBe(0);
  await sleep(300);
  expect(await committed()).toEqual({ 0: '3', 1: '3' }); // the first's offset would have been 2
}, 60_000);
