import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startRedis } from '#launcher/redis';
import type { EmbeddedServer } from '#launcher/broker';
import { loadConfig } from '#lib/config';
import { followedFiles } from '#lib/followed-files';
import { closeRedis, createRedis, type Redis } from '#lib/redis';
import { redisAccess } from '#lib/redis-security';
import { redisSettings } from '#lib/redis-settings';
import { until } from '../support/until';

jest.setTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-rotation-'));
const file = join(folder, 'password');
let server: EmbeddedServer;
let admin: Redis;
const clients: Redis[] = [];

const put = (text: string): void => writeFileSync(file, `${text}\n`);
/** A change is taken once it was there at two looks. */
const lookTwice = (): void => {
  for (let i = 0; i < 2; i += 1) for (const one of followedFiles()) one.look();
};

beforeAll(async () => {
  const logFile = join(folder, 'redis.log');
  server = await startRedis({ env: process.env, folder: join(folder, 'redis'), logFile });
  const logger = pino({ level: 'silent' });
  admin = createRedis({ url: `redis://${server.address}`, name: 'admin', logger });
  await admin.connect();
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await closeRedis(admin);
  await server.process.stop();
  rmSync(folder, { recursive: true });
});

/** A client with the password of the file, a copy of it as BullMQ makes some, and what is logged of the first. */
async function connected(env: Record<string, string> = {}) {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const settings = {
    ...{ REDIS_URL: `redis://${server.address}`, ROUNDHOUSE_REDIS_PASSWORD_FILE: file },
    ...env,
  };
  const access = redisAccess(loadConfig(settings, redisSettings));
  const client = createRedis({ ...access, name: 'worker', logger });
  const copy = client.duplicate({ connectionName: 'copy' });
  copy.on('error', () => undefined);
  clients.push(client, copy);
  await Promise.all([client.connect(), copy.connect()]);
  const lost = (): boolean => lines.some((line) => /RedisLost.*(WRONGPASS|NOAUTH)/.test(line));
  return { both: [client, copy], lost };
}

const answers = (both: readonly Redis[]): Promise<string[]> => Promise.all(both.map((one) => one.ping()));

test('after a new password of Redis itself connections are made with that, once its file has it', async () => {
  put('first');
  await admin.config('SET', 'requirepass', 'first');
  const { both, lost } = await connected();
  expect(await answers(both)).toEqual(['PONG', 'PONG']);

  // Connections that are open stay.
  await admin.config('SET', 'requirepass', 'second');
  expect(await answers(both)).toEqual(['PONG', 'PONG']);
  await admin.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await until(lost, 'the old password is refused');
  put('second');
  lookTwice();
  await until(() => both.every(({ status }) => status === 'ready'), 'both are there again');
  expect(await answers(both)).toEqual(['PONG', 'PONG']);
  await admin.config('SET', 'requirepass', '');
});

test('a user that has two passwords for a while never loses Redis', async () => {
  put('first');
  await admin.call('ACL', 'SETUSER', 'worker', 'on', '>first', '~*', '+@all');
  const { both, lost } = await connected({ ROUNDHOUSE_REDIS_USER: 'worker' });
  await admin.call('ACL', 'SETUSER', 'worker', '>second');
  put('second');
  lookTwice();
  await admin.call('ACL', 'SETUSER', 'worker', '<first');
  const again = both.map((one) => new Promise((resolve) => one.once('ready', resolve)));
  await admin.client('KILL', 'USER', 'worker');
  await Promise.all(again);
  expect(await answers(both)).toEqual(['PONG', 'PONG']);
  expect(await admin.call('ACL', 'WHOAMI')).toBe('default');
  expect(await both[0]!.call('ACL', 'WHOAMI')).toBe('worker');
  expect(lost()).toBe(false);
});
