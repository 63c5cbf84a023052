import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { EmbeddedServer } from '#launcher/broker';
import { freePort } from '#launcher/ports';
import { startRedis } from '#launcher/redis';
import { closeRedis, createRedis, type Redis } from '#lib/redis';
import { Episodes } from '#policy/operations/episodes';
import { explain, type Signal } from '#policy/operations/signals';
import { KeptEpisodes } from '#services/ops/console/kept-episodes';
import { startStack } from '../support/stack';
import { until } from '../support/until';

const stack = startStack('ops-recently');
const key = `${stack.topicPrefix}ops:recently`;
const open: { close(): Promise<void> }[] = [];
let redis: Redis;
beforeEach(async () => {
  redis = createRedis({ url: stack.redisUrl, name: 'test', logger: pino({ level: 'silent' }) });
  await redis.connect();
  await redis.del(key);
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  await closeRedis(redis);
});

const wrong = (id: string): Signal => ({
  ...{ id, level: 'bad', where: id, words: 'is wrong', runbook: 'R', after: [], times: null },
});

/** A console's memory, which keeps what it sees at `url`. */
function start(url = stack.redisUrl) {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const episodes = new Episodes();
  const kept = new KeptEpisodes(episodes, {
    ...{ access: { url }, topicPrefix: stack.topicPrefix, logger, pauseMs: 20 },
  });
  open.push(kept);
  const look = (...signals: Signal[]) => {
    episodes.saw(explain(signals), Date.now());
    kept.soon();
  };
  const warned = (event: string) => lines.filter((line) => line.includes(event));
  const causes = () => episodes.all().map(({ cause }) => cause);
  return { kept, episodes, look, causes, warned };
}
type Console = ReturnType<typeof start>;

async function end({ kept }: Console): Promise<void> {
  await kept.close();
  open.splice(open.indexOf(kept), 1);
}

test('what was wrong of late outlives a restart, for twelve hours', async () => {
  const first = start();
  await first.kept.open();
  first.look(wrong('kafka'));
  first.look();
  await end(first);
  const ttl = await redis.pttl(key);
  expect(ttl).toBeGreaterThan(0);
  expect(ttl).toBeLessThanOrEqual(12 * 3_600_000);
  const second = start();
  await second.kept.open();
  expect(second.kept.whyNot()).toBeNull();
  expect(second.episodes.all()).toEqual(first.episodes.all());
});

test('a process that is killed has kept what it saw', async () => {
  const first = start();
  await first.kept.open();
  first.look(wrong('kafka'));
  await until(() => {
    first.look(wrong('kafka'));
    return redis.get(key).then((text) => text?.includes('"kafka"') === true);
  }, 'it is written');
  const second = start();
  await second.kept.open();
  expect(second.episodes.standing()).toMatchObject([{ cause: 'kafka', endedAt: null }]);
});

test.each(['<html>', '{"format":1,"episodes":[{}]}'])('where %s is kept, nothing was', async (text) => {
  await redis.set(key, text);
  const console = start();
  await console.kept.open();
  expect([console.causes(), console.kept.whyNot()]).toEqual([[], null]);
});

test('two consoles of a deployment keep what each of them saw, and nothing twice', async () => {
  const [one, other] = [start(), start()];
  const kept = async (id: string): Promise<boolean> => (await redis.get(key))?.includes(`"${id}"`) === true;
  await one.kept.open();
  await other.kept.open();
  for (const id of ['only-one', 'only-other']) {
    const sees = id === 'only-one' ? one : other;
    await until(() => {
      sees.look(wrong('kafka'), wrong(id));
      return kept(id);
    }, `${id} is written`);
  }
  expect(await kept('only-one')).toBe(true);
  for (const console of [one, other]) {
    console.look();
    await end(console);
  }
  const third = start();
  await third.kept.open();
  expect(third.causes().sort()).toEqual(['kafka', 'only-one', 'only-other']);
});

/** Two consoles that are quiet by now, each with something that the other saw nothing of, and what is kept. */
async function written() {
  const [one, other] = [start(), start()];
  const texts: string[] = [];
  for (const [console, id] of [[one, 'only-one'] as const, [other, 'only-other'] as const]) {
    await console.kept.open();
    console.look(wrong(id));
    console.look();
    await until(async () => {
      console.kept.soon();
      const text = (await redis.get(key)) ?? '';
      return text.includes(`"${id}"`) && !text.includes('"endedAt":null') && texts.push(text) > 0;
    }, `${id} is written`);
  }
  return { one, other, both: texts[1]! };
}

/** As where the other read before it was written, and wrote after it. */
const without = (text: string, id: string): string => {
  const list = JSON.parse(text) as { episodes: { signal: Signal }[] };
  return JSON.stringify({ ...list, episodes: list.episodes.filter(({ signal }) => signal.id !== id) });
};

test('what another console wrote over is written again, also where nothing new comes, and at the end', async () => {
  const { one, both } = await written();
  const isKept = async () => {
    const text = (await redis.get(key))!;
    return text.includes('"only-one"') && text.includes('"only-other"');
  };
  await redis.set(key, without(both, 'only-one'));
  await until(() => {
    one.kept.soon();
    return isKept();
  }, 'both are there again');
  await redis.set(key, without(both, 'only-one'));
  await end(one);
  expect(await isKept()).toBe(true);
});

test('where both consoles have all that is kept, neither writes', async () => {
  const { one, other } = await written();
  await until(() => {
    one.kept.soon();
    return one.causes().length === 2;
  }, 'one has what the other wrote');
  // Whoever writes sets twelve hours.
  await redis.pexpire(key, 13 * 3_600_000);
  for (const console of [one, other]) {
    console.look();
    await end(console);
  }
  expect(await redis.pttl(key)).toBeGreaterThan(12 * 3_600_000);
});

test('what is longer than anything that a console keeps is not read', async () => {
  const first = start();
  await first.kept.open();
  first.look(wrong('kafka'));
  await end(first);
  const second = start();
  await redis.append(key, ' '.repeat(256 * 1024));
  await second.kept.open();
  expect([second.causes(), second.kept.whyNot()]).toEqual([[], null]);
});

test('what is of a time far ahead is left out, and said', async () => {
  const first = start();
  await first.kept.open();
  first.look(wrong('kafka'));
  first.look();
  await end(first);
  const list = JSON.parse((await redis.get(key))!) as { episodes: { signal: object; seenAt: number }[] };
  const [of] = list.episodes;
  const odd = { ...of!, signal: wrong('redis'), seenAt: Date.now() + 7_200_000 };
  await redis.set(key, JSON.stringify({ ...list, episodes: [of, odd] }));
  const second = start();
  await second.kept.open();
  expect(second.episodes.all()).toEqual(first.episodes.all());
  expect(second.warned('RecentlyOfTheFuture')).toEqual([expect.stringContaining('"entries":1')]);
});

test('what is of another type is told and left alone', async () => {
  await redis.hset(key, 'a', 'b');
  const console = start();
  await console.kept.open();
  console.look(wrong('kafka'));
  expect(console.kept.whyNot()).toMatch(/WRONGTYPE/);
  await end(console);
  expect(await redis.hgetall(key)).toEqual({ a: 'b' });
});

describe('without Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-recently-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const startAt = async (port: number): Promise<EmbeddedServer> => {
    const logFile = join(folder, 'redis.log');
    const server = await startRedis({ env: process.env, folder: join(folder, 'redis'), logFile, port });
    open.push({ close: () => server.process.stop() });
    return server;
  };

  test('it is kept in memory and said so once; what was kept before is not lost by that', async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const server = await startAt(port);
    const first = start(url);
    await first.kept.open();
    first.look(wrong('kafka'));
    first.look();
    await end(first);
    await server.process.kill();

    const second = start(url);
    await second.kept.open();
    second.look(wrong('redis'));
    expect(second.kept.whyNot()).toBe(`Redis at 127.0.0.1:${port} does not answer`);
    expect(second.causes()).toEqual(['redis']);
    await startAt(port);
    await until(() => {
      second.look(wrong('redis'));
      return second.kept.whyNot() === null;
    }, 'it is kept again');
    expect(second.causes()).toEqual(['redis', 'kafka']);
    expect(second.warned('RecentlyNotKept')).toHaveLength(1);
    await end(second);

    const third = start(url);
    await third.kept.open();
    expect(third.causes()).toEqual(['redis', 'kafka']);
  });
});
