import { pino } from 'pino';
import { createRedis, type Redis } from '#lib/redis';
import type { OpenRound } from '#services/aggregator/join/open-round';
import { JoinStore } from '#services/aggregator/store/join-store';
import { outcomesCodec } from '#schemas/codec';
import { startStack } from '../support/stack';
import { inMemory, inMs, roundOf } from './aggregator-harness';

const stack = startStack('aggregator-store');
const ttlMs = 60_000;
/** Far beyond `ttlMs`: of keys that are kept from now on only, none reaches it. */
const aheadMs = 600_000;
const decision = Buffer.from('the decision');
let client: Redis;

beforeAll(async () => {
  client = createRedis({ url: stack.redisUrl, name: 'store-test', logger: pino({ level: 'warn' }) });
  await client.connect();
});
afterAll(() => client.disconnect());

const newStore = () => new JoinStore(client, stack.topicPrefix, ttlMs, aheadMs);

/** Which of the round's keys are kept until `aheadMs` from now at least, in their order. */
async function kept({ keys }: JoinStore, { key, round }: OpenRound): Promise<string[]> {
  const names = {
    round: keys.round(key),
    outcomes: keys.outcomes(key),
    seen: keys.seen(key),
    zone: keys.zone(round),
  };
  const left = await Promise.all(
    Object.entries(names).map(async ([name, at]) => [name, await client.pttl(at)] as const),
  );
  return left.filter(([, ms]) => ms > aheadMs).map(([name]) => name);
}

function roundDueIn(ms: number) {
  const cut = roundOf({ deadline: inMs(ms) });
  const [first, second] = cut.outcomes.map((outcome) => outcomesCodec.encode(outcome));
  return { open: inMemory(cut), shards: cut.manifest.shardCount, first: first!, second: second! };
}

describe('how long keys are kept', () => {
  test('a round that is decided long before its deadline is known until after it', async () => {
    const store = newStore();
    // 630 s and 60 s on top: more than 600 s are left for as long as the test may take.
    const { open, shards, first } = roundDueIn(aheadMs + 30_000);
    await store.open(open.toStore());
    await store.append(open.key, first, shards, false);
    expect(await kept(store, open)).toEqual(['round', 'outcomes', 'seen']);
    await store.close(open.key, open.round, decision, false);
    expect(await kept(store, open)).toEqual(['round', 'zone']);
    await store.markPublished(open.key, open.round);
    expect(await kept(store, open)).toEqual(['round', 'zone']);
  }, 30_000);

  test('a decided round is known until after the deadline of one in memory that holds back its offset', async () => {
    const store = newStore();
    const { open } = roundDueIn(1_000);
    await store.open(open.toStore());
    expect(await kept(store, open)).toEqual([]);
    store.openUntil = (key) => (key === open.key ? Date.now() + aheadMs : 0);
    await store.close(open.key, open.round, decision, false);
    expect(await kept(store, open)).toEqual(['round', 'zone']);
    store.openUntil = () => 0;
    await store.markPublished(open.key, open.round);
    expect(await kept(store, open)).toEqual(['round', 'zone']);
    const { open: beside } = roundDueIn(1_000);
    store.openUntil = (key) => (key === open.key ? Date.now() + aheadMs : 0);
    await store.open(beside.toStore());
    await store.close(beside.key, beside.round, decision, false);
    expect(await client.pttl(store.keys.round(beside.key))).toBeLessThan(aheadMs);
  }, 30_000);

  test('delivered again behind a round with a late deadline, what is known of it is kept as long as that', async () => {
    const [store, published, undecided] = [newStore(), roundDueIn(1_000), roundDueIn(1_000)];
    await store.open(published.open.toStore());
    await store.markPublished(published.open.key, published.open.round);
    await store.open(undecided.open.toStore());
    await store.append(undecided.open.key, undecided.first, undecided.shards, false);
    store.openUntil = () => Date.now() + aheadMs;
    expect(await store.open(published.open.toStore())).toEqual({ state: 'published' });
    expect(await kept(store, published.open)).toEqual(['round', 'zone']);
    expect(await store.open(undecided.open.toStore())).toMatchObject({ state: 'open' });
    expect(await kept(store, undecided.open)).toEqual(['round', 'outcomes', 'seen']);
  }, 30_000);

  test('an outcome that comes before its round waits for the longest deadline, then for its own', async () => {
    const store = newStore();
    const { open, shards, first, second } = roundDueIn(aheadMs + 30_000);
    await store.append(open.key, first, shards, false);
    expect(await client.pttl(store.keys.outcomes(open.key))).toBeGreaterThan(aheadMs - 30_000);
    expect(await kept(store, open)).toEqual([]);
    await store.open(open.toStore());
    await store.append(open.key, second, shards, false);
    expect(await kept(store, open)).toEqual(['round', 'outcomes', 'seen']);
  }, 30_000);

  test('a rebuild counts from the deadline, too', async () => {
    const store = newStore();
    const [decided, undecided] = [roundDueIn(aheadMs + 30_000), roundDueIn(aheadMs + 30_000)];
    await store.putBack(decided.open.toStore(), [], decision);
    expect(await kept(store, decided.open)).toEqual(['round', 'zone']);
    await store.putBack(undecided.open.toStore(), [undecided.first], null);
    expect(await kept(store, undecided.open)).toEqual(['round', 'outcomes', 'seen']);
  }, 30_000);

  test('keys that the version before wrote are kept for longer; one without an end gets one', async () => {
    const store = newStore();
    const { open, shards, first } = roundDueIn(aheadMs + 30_000);
    const { manifest, hash, meta } = open.toStore();
    await client.hset(store.keys.round(open.key), { hash, manifest, meta });
    await client.rpush(store.keys.outcomes(open.key), first);
    await client.sadd(store.keys.seen(open.key), 'anything');
    await client.set(store.keys.zone(open.round), '0'.repeat(20), 'PX', 5_000);
    await client.pexpire(store.keys.outcomes(open.key), 5_000);
    const reply = await store.open(open.toStore());
    expect(reply).toEqual({ state: 'open', outcomes: [first], isStale: false });
    expect(await kept(store, open)).toEqual(['round', 'outcomes', 'seen', 'zone']);
    expect(await store.append(open.key, first, shards, false)).toBe('stored');
  }, 30_000);

  test('a deadline that no clock reaches is no reason for Redis to refuse the round', async () => {
    const store = newStore();
    const { open } = roundDueIn(2 ** 52);
    expect(await store.open(open.toStore())).toMatchObject({ state: 'created' });
    // The longest deadline that ingest may let through is a day ahead.
    expect(await client.pttl(store.keys.round(open.key))).toBeLessThanOrEqual(86_400_000 + ttlMs);
  }, 30_000);
});

describe('a list of outcomes that is full', () => {
  test('what it refused is refused again, not taken for stored, and leaves nothing behind', async () => {
    const store = newStore();
    const { open, shards, first, second } = roundDueIn(60_000);
    await store.open(open.toStore());
    // Four of each shard and 256 more.
    const others = Array.from({ length: 4 * shards + 256 - 1 }, (_, i) => `another ${i}`);
    await client.rpush(store.keys.outcomes(open.key), ...others);
    expect(await store.append(open.key, first, shards, false)).toBe('stored');
    expect(await store.append(open.key, second, shards, false)).toBe('full');
    expect(await store.append(open.key, second, shards, false)).toBe('full');
    expect(await store.append(open.key, first, shards, false)).toBe('repeated');
    expect(await client.scard(store.keys.seen(open.key))).toBe(1);
    await client.lpop(store.keys.outcomes(open.key));
    expect(await store.append(open.key, second, shards, false)).toBe('stored');
  }, 30_000);

  test('an outcome that speaks of countless shards gets no longer list than 4,096 would', async () => {
    const store = newStore();
    const { open, first, second } = roundDueIn(60_000);
    const full = 4 * 4_096 + 256;
    await client.rpush(store.keys.outcomes(open.key), ...Array<string>(full - 1).fill('another'));
    expect(await store.append(open.key, first, 2 ** 31 - 1, false)).toBe('stored');
    expect(await store.append(open.key, second, 2 ** 31 - 1, false)).toBe('full');
  }, 30_000);
});

test('no key of a round is without an end', async () => {
  const lasting = [newStore().keys.epoch(), newStore().keys.recalled(), newStore().keys.probe()];
  const all = await client.keys(`${stack.topicPrefix}aggregator:*`);
  expect(all.length).toBeGreaterThan(lasting.length);
  for (const key of all.filter((one) => !lasting.includes(one))) {
    expect([key, await client.pttl(key)]).toEqual([key, expect.any(Number)]);
    expect(await client.pttl(key)).toBeGreaterThan(0);
  }
}, 30_000);
