import { setTimeout as sleep } from 'node:timers/promises';
import type { BusMessage, Lease } from '#lib/bus/port';
import { until } from '../support/until';
import { BusBench, numbers, textOf } from './bus-harness';

const bench = new BusBench('bus-consumer');

afterEach(() => bench.stopConsumers());
afterAll(() => bench.bus.close());

describe('window and commits', () => {
  test('at most `window` in work; the committed offset is a contiguous prefix', async () => {
    const topic = await bench.freshTopic();
    const open = new Map<string, () => void>();
    let most = 0;
    await bench.consume(topic, (message) => {
      return new Promise<void>((resolve) => {
        open.set(textOf(message), resolve);
        most = Math.max(most, open.size);
      }).then(() => void open.delete(textOf(message)));
    });
    await bench.sendTo(topic, numbers(10));
    await until(() => open.size === 4, 'four in work');
    expect([...open.keys()]).toEqual(['0', '1', '2', '3']);
    open.get('1')!();
    open.get('2')!();
    await sleep(300);
    // 1 and 2 are done but 0 isn't: nothing is committed (−1), and no room came up.
    expect(await bench.committed(topic)).toEqual({ 0: '-1' });
    expect([...open.keys()]).toEqual(['0', '3']);
    open.get('0')!();
    await bench.untilCommitted(topic, { 0: '3' }); // 0, 1, 2 are done
    await until(() => open.has('6'), '3, 4, 5, 6 in work');
    for (let i = 3; i < 10; i++) {
      await until(() => open.has(String(i)), `${i} in work`);
      open.get(String(i))!();
    }
    await bench.untilCommitted(topic, { 0: '10' });
    expect(most).toBe(4);
  });

  test('stop waits for what is in work and commits it; what only waited comes again', async () => {
    const topic = await bench.freshTopic();
    const seen: string[] = [];
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const hold = (message: BusMessage): Promise<void> => {
      seen.push(textOf(message));
      return held;
    };
    const first = await bench.consume(topic, hold, { window: 2 });
    await bench.sendTo(topic, numbers(5));
    await until(() => seen.length === 2, 'two in work');
    const stopped = first.stop();
    release();
    await stopped;
    expect(await bench.committed(topic)).toEqual({ 0: '2' });
    await bench.consume(topic, async (message) => void seen.push(textOf(message)));
    await until(() => seen.length === 5, 'the rest');
    expect(seen).toEqual(['0', '1', '2', '3', '4']);
  });

  test('a handler that rejects stops the consumer, is reported, and is not committed', async () => {
    const topic = await bench.freshTopic();
    const fatal: Error[] = [];
    const handle = async (message: BusMessage): Promise<void> => {
      if (textOf(message) === '2') throw new Error('cannot do 2');
    };
    await bench.consume(topic, handle, { window: 1, onFatal: (error) => fatal.push(error) });
    await bench.sendTo(topic, numbers(4));
    await until(() => fatal.length > 0, 'reported');
    expect(fatal[0]!.message).toBe('cannot do 2');
    expect(await bench.committed(topic)).toEqual({ 0: '2' });
  });

  test('a slow partition holds back nothing but itself (pain 4)', async () => {
    const topic = await bench.freshTopic(2);
    const seen: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await bench.consume(topic, async (message) => {
      seen.push(textOf(message));
      if (message.partition === 0) await held;
    });
    await bench.sendTo(topic, numbers(50), 0);
    await until(() => seen.length === 4, 'the window of partition 0 is full');
    await bench.sendTo(topic, ['other'], 1);
    await until(() => seen.includes('other'), 'partition 1 served');
    expect(seen).toHaveLength(5); // the four of partition 0, still in work, and this one
    release();
    await bench.untilCommitted(topic, { 0: '50', 1: '1' });
  });

  test('a message into an idle topic ends the wait of the fetch (pain 4)', async () => {
    const topic = await bench.freshTopic();
    let seen = 0;
    // Fetches wait for 60 s, which no message may.
    const consumer = await bench.consume(topic, async () => void seen++, { maxWaitMs: 60_000 });
    const producer = await bench.bus.producer();
    const send = (): Promise<void> => producer.send([{ topic, key: 'k', value: Buffer.from('x') }]);
    for (let i = 1; i <= 3; i++) {
      await sleep(700);
      await send();
      await until(() => seen === i, 'seen');
    }
    // kafkajs leaves the group only after its fetch: one more message ends that, too.
    const stopped = consumer.stop();
    await sleep(700);
    await send();
    await stopped;
  }, 60_000);
});

describe('positions', () => {
  test('a committed offset that retention has passed: goes on at the first message kept (pain 3)', async () => {
    const topic = await bench.freshTopic();
    const seen: string[] = [];
    const handle = async (message: BusMessage): Promise<void> => void seen.push(textOf(message));
    await bench.sendTo(topic, numbers(10));
    const first = await bench.consume(topic, handle);
    await until(() => seen.length === 10, 'the first ten');
    await first.stop();
    await bench.sendTo(
      topic,
      numbers(20).map((n) => `new ${n}`),
    );
    // Committed is 10; offsets 10–24 are deleted, 25–29 are kept: new 15 … new 19.
    await bench.asAdmin(async (admin) => {
      await admin.fetchTopicOffsets(topic); // loads the topic's metadata, which deleteTopicRecords needs
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '25' }] });
    });
    seen.length = 0;
    await bench.consume(topic, handle);
    await until(() => seen.length >= 5, 'the rest');
    await sleep(300);
    expect(seen).toEqual(['new 15', 'new 16', 'new 17', 'new 18', 'new 19']);
    await bench.untilCommitted(topic, { 0: '30' });
  });
});

describe('group membership', () => {
  test('a handler of more than two session time-outs keeps its membership (pain 1)', async () => {
    const topic = await bench.freshTopic();
    const seen: string[] = [];
    let assignments = 0;
    let owned = false;
    // Session 6 s (the least that brokers allow by default), handler 14 s.
    const handle = async (message: BusMessage, lease: Lease): Promise<void> => {
      seen.push(textOf(message));
      await sleep(14_000);
      owned = lease.isOwned();
    };
    const onAssigned = (): void => void assignments++;
    const consumer = await bench.consume(topic, handle, { sessionTimeoutMs: 6_000, onAssigned });
    await bench.sendTo(topic, ['long']);
    await until(() => seen.length === 1, 'begun');
    await until(() => consumer.inFlight() === 0, 'done');
    expect({ owned, assignments, seen }).toEqual({ owned: true, assignments: 1, seen: ['long'] });
    await bench.untilCommitted(topic, { 0: '1' });
  }, 30_000);

  test('a consumer added mid-batch: leases end, nothing is committed after the revoke, nothing is lost (pain 2)', async () => {
    const topic = await bench.freshTopic(4);
    const done = new Map<string, number>();
    const lostLeases: number[] = [];
    const handleSlowly = async (message: BusMessage, lease: Lease): Promise<void> => {
      await sleep(30);
      if (!lease.isOwned()) lostLeases.push(message.partition);
      const name = `${message.partition}/${textOf(message)}`;
      done.set(name, (done.get(name) ?? 0) + 1);
    };
    const revoked: number[] = [];
    const handleStuck = async (message: BusMessage, lease: Lease): Promise<void> => {
      // The first consumer hangs on one message a partition until its lease ends.
      if (textOf(message) !== '5') return handleSlowly(message, lease);
      while (lease.isOwned()) await sleep(10);
      lostLeases.push(message.partition);
    };
    await bench.consume(topic, handleStuck, {
      onRevoked: (partitions) => revoked.push(...partitions.map((p) => p.partition)),
    });
    for (const partition of [0, 1, 2, 3]) await bench.sendTo(topic, numbers(40), partition);
    // Messages 0–4 of each partition are committed; 5 hangs, so nothing behind it is.
    await bench.untilCommitted(topic, { 0: '5', 1: '5', 2: '5', 3: '5' });
    let stuck = true;
    await bench.consume(topic, async (message, lease) => {
      if (stuck) await sleep(100);
      return handleSlowly(message, lease);
    });
    stuck = false;
    expect([...new Set(revoked)].sort()).toEqual([0, 1, 2, 3]);
    await until(() => lostLeases.length >= 4, 'leases lost');
    // The second consumer owns two partitions and redoes them from the committed 5 on.
    await until(() => [...done.keys()].filter((name) => name.endsWith('/39')).length >= 2, 'two done');
    const ends = Object.values(await bench.committed(topic)).map(Number);
    expect(Math.min(...ends)).toBe(5);
    expect([...done.values()].every((times) => times <= 2)).toBe(true);
  }, 40_000);

  test('a consumer that is closed hands its partitions over, and each message is done once', async () => {
    const topic = await bench.freshTopic(2);
    const done: string[] = [];
    const handle = async (message: BusMessage): Promise<void> => {
      await sleep(5);
      done.push(`${message.partition}/${textOf(message)}`);
    };
    const first = await bench.consume(topic, handle, { drainMs: 60_000 });
    for (const partition of [0, 1]) await bench.sendTo(topic, numbers(60), partition);
    await until(() => done.length > 10, 'begun');
    await first.stop();
    await bench.consume(topic, handle);
    await bench.untilCommitted(topic, { 0: '60', 1: '60' });
    expect(done).toHaveLength(120);
    expect(new Set(done).size).toBe(120);
  });
});
