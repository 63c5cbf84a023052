import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { startBroker, type EmbeddedServer } from '#launcher/broker';
import { until } from '../support/until';
import { stopProcess } from '../support/stop-process';

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-outage-'));
let broker: EmbeddedServer;
let bus: Bus;

beforeAll(async () => {
  broker = await startBroker({ env: process.env, folder, logFile: join(folder, 'broker.log') });
  bus = connectBus({ brokers: [broker.address], clientId: 'outage', logger: pino({ level: 'warn' }) });
  await bus.waitUntilReady(20_000);
}, 60_000);
afterAll(async () => {
  await bus?.close();
  await broker?.process.stop();
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

test('the broker killed and started again: every send is acknowledged, every message consumed', async () => {
  const topic = 'outage';
  await bus.ensureTopics([
    { topic, partitions: 4, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes: 1_048_576 },
  ]);
  const handled = new Set<string>();
  const followed = new Set<string>();
  const consumer = bus.windowedConsumer({
    groupId: 'outage-group',
    topics: [topic],
    window: 8,
    async handle(message) {
      handled.add(message.key!.toString());
    },
  });
  await consumer.start();
  const follower = await bus.followTopic({
    topic,
    from: 'latest',
    handle: (message) => followed.add(message.key!.toString()),
  });
  const producer = await bus.producer({ deliveryTimeoutMs: 60_000 });
  let acknowledged = 0;
  let sent = 0;
  const sends: Promise<void>[] = [];
  const timer = setInterval(() => {
    const key = String(sent++);
    const send = producer.send([{ topic, key, value: Buffer.alloc(1_000) }]);
    sends.push(send.then(() => void acknowledged++));
  }, 20);
  await sleep(1_500);
  await broker.process.kill();
  await until(() => consumer.whyNotReady() !== null, 'the consumer knows');
  await broker.process.start();
  await sleep(1_000);
  clearInterval(timer);
  await Promise.all(sends);
  await until(() => handled.size >= sent && followed.size >= sent, 'all consumed');
  expect(acknowledged).toBe(sent);
  expect(handled.size).toBe(sent);
  expect(followed.size).toBe(sent);
  await follower.close();
  await consumer.stop();
}, 180_000);

test('a send to a stopped broker is given up in its time; the next one is taken when the broker goes on', async () => {
  const topic = 'stopped';
  await bus.ensureTopics([
    { topic, partitions: 1, replicationFactor: 1, retentionMs: 600_000, maxMessageBytes: 1_048_576 },
  ]);
  const producer = await bus.producer({ deliveryTimeoutMs: 300 });
  const send = (key: string) => producer.send([{ topic, key, value: null }]);
  await send('before');
  await stopProcess(broker.process.pid!);
  try {
    const [first, second] = await Promise.allSettled([send('hangs'), sleep(100).then(() => send('waits'))]);
    // The request itself has 12 s, and then it would be sent again to a broker that still stands.
    for (const given of [first, second]) {
      expect(given).toMatchObject({ status: 'rejected', reason: { code: 'DEPENDENCY_ABSENT' } });
    }
  } finally {
    broker.process.signal('SIGCONT');
  }
  const giveUpAt = Date.now() + 30_000;
  while (
    !(await send('after').then(
      () => true,
      () => false,
    ))
  )
    expect(Date.now()).toBeLessThan(giveUpAt);
  const keys: string[] = [];
  await bus.readRange({ topic, from: 'earliest', handle: ({ key }) => keys.push(key!.toString()) });
  expect([keys[0], keys.at(-1)]).toEqual(['before', 'after']);
  // Given up before it was sent: it never is.
  expect(keys).not.toContain('waits');
}, 60_000);
