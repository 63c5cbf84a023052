import { pino } from 'pino';
import { closeRedis, createRedis, type Redis } from '#lib/redis';
import { Announcements } from '#services/inference-worker/remote/announcements';
import type { RemoteEntry } from '#services/inference-worker/remote/remote-entry';
import { startStack } from '../support/stack';
import { disconnectedWithFile } from '../support/closed-with-file';

const stack = startStack('announcements');
const logger = pino({ level: 'silent' });
const leaseMs = 600;

interface Worker {
  readonly announcements: Announcements;
  readonly redis: Redis;
  readonly unreadable: string[];
  readonly failed: string[];
  /** Resolves when the list is like that. */
  until(isIt: (names: readonly string[]) => boolean): Promise<readonly RemoteEntry[]>;
}

const workers: Worker[] = [];

async function startWorker(prefix: string, url = stack.redisUrl): Promise<Worker> {
  const redis = createRedis({ url, name: 'test', logger, redis: { enableOfflineQueue: false } });
  await redis.connect().catch(() => undefined);
  const unreadable: string[] = [];
  const failed: string[] = [];
  let list: readonly RemoteEntry[] = [];
  let changed: () => void = () => undefined;
  const announcements = new Announcements({
    redis,
    prefix,
    leaseMs,
    onEntries: (entries) => ((list = entries), changed()),
    onUnreadable: (reason) => void unreadable.push(reason),
    onFailed: (reason) => (failed.push(reason), changed()),
  });
  await announcements.start();
  const until: Worker['until'] = async (isIt) => {
    while (!isIt(list.map(({ name }) => name))) await new Promise<void>((resolve) => (changed = resolve));
    return list;
  };
  const made = { announcements, redis, unreadable, failed, until };
  workers.push(made);
  return made;
}

afterEach(async () => {
  for (const { announcements, redis } of workers.splice(0)) {
    await announcements.close();
    await closeRedis(redis);
  }
});

const prefixOf = (name: string): string => `${stack.topicPrefix}${name}.`;
const has = (name: string) => (names: readonly string[]) => names.includes(name);
const lacks = (name: string) => (names: readonly string[]) => !names.includes(name);

test('workers hear of each other, not of themselves, and of one that withdraws no more', async () => {
  const [a, b] = [await startWorker(prefixOf('two')), await startWorker(prefixOf('two'))];
  await a.announcements.announce({ id: 'a', address: '127.0.0.1:1' });
  await b.announcements.announce({ id: 'b', address: '127.0.0.1:2' });
  const entry = { kind: 'worker', device: '' };
  expect(await a.until(has('b'))).toEqual([{ name: 'b', address: '127.0.0.1:2', ...entry }]);
  expect(await b.until(has('a'))).toEqual([{ name: 'a', address: '127.0.0.1:1', ...entry }]);
  await a.announcements.withdraw();
  await b.until(lacks('a'));
});

test("a worker that is gone without a word is gone when its lease is over, by Redis's clock", async () => {
  const [a, b] = [await startWorker(prefixOf('gone')), await startWorker(prefixOf('gone'))];
  await a.announcements.announce({ id: 'a', address: '127.0.0.1:1' });
  await b.until(has('a'));
  a.redis.disconnect();
  await b.until(lacks('a'));
});

test('what can’t be read is told once and left out; so is a lease that is over', async () => {
  const prefix = prefixOf('hostile');
  const worker = await startWorker(prefix);
  const farAhead = Date.now() + 1e9;
  const members = [
    'no JSON',
    '7',
    'null',
    '[]',
    '{"id":7,"address":"h:1"}',
    '{"id":"x","address":"nowhere"}',
    '{"id":"a b","address":"h:1"}',
    `{"id":"long","address":"${'h'.repeat(3_000)}:1"}`,
    '{"id":"good","address":"h:1","more":{"deep":1}}',
  ];
  for (const member of members)
    await worker.redis.zadd(`${prefix}inference-worker:engines`, farAhead, member);
  await worker.redis.zadd(
    `${prefix}inference-worker:engines`,
    Date.now() - 1,
    '{"id":"over","address":"h:1"}',
  );
  const list = await worker.until(has('good'));
  expect(list.map(({ name }) => name)).toEqual(['good']);
  await worker.announcements.announce({ id: 'own', address: 'h:2' });
  // All but the good one; twice read, once told.
  expect(worker.unreadable).toHaveLength(8);
});

test('a key of another kind: the announcement fails, the worker goes on', async () => {
  const prefix = prefixOf('kind');
  const other = disconnectedWithFile(createRedis({ url: stack.redisUrl, name: 'test', logger }));
  await other.set(`${prefix}inference-worker:engines`, 'text', 'PX', 60_000);
  const worker = await startWorker(prefix);
  await worker.announcements.announce({ id: 'a', address: 'h:1' });
  expect(worker.failed).toEqual([expect.stringContaining('WRONGTYPE')]);
  await other.del(`${prefix}inference-worker:engines`);
  await worker.announcements.announce({ id: 'a', address: 'h:1' });
  await closeRedis(other);
});

test('without Redis the last list goes on, and failing is told once', async () => {
  const worker = await startWorker(prefixOf('absent'), 'redis://127.0.0.1:1');
  for (let again = 0; again < 2; again += 1) await worker.announcements.announce({ id: 'a', address: 'h:1' });
  expect(worker.failed).toHaveLength(1);
});
