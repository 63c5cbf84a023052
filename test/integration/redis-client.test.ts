import { pino } from 'pino';
import { closeRedis, createRedis, redisAddress, waitForRedis } from '#lib/redis';
import { startStack } from '../support/stack';
import { disconnectedWithFile } from '../support/closed-with-file';

const stack = startStack('redis-client');
const logger = pino({ level: 'silent' });

const openClient = (url: string) => disconnectedWithFile(createRedis({ url, name: 'test', logger }));

test('connects, answers and closes', async () => {
  const client = openClient(stack.redisUrl);
  await waitForRedis(client, { url: stack.redisUrl, timeoutMs: 10_000, logger });
  const key = `${stack.topicPrefix}key`;
  await client.set(key, 'value', 'EX', 60);
  expect(await client.get(key)).toBe('value');
  await closeRedis(client);
  expect(client.status).toBe('end');
});

test('an absent Redis is waited for, then DEPENDENCY_ABSENT with its address and without its password', async () => {
  const url = 'redis://user:secret@127.0.0.1:1';
  const client = openClient(url);
  const wait = waitForRedis(client, { url, timeoutMs: 700, logger });
  await expect(wait).rejects.toMatchObject({ code: 'DEPENDENCY_ABSENT' });
  await expect(wait).rejects.toThrow(/^Redis at 127.0.0.1:1 did not answer in 700 ms/);
  await expect(wait).rejects.not.toThrow(/secret/);
  await closeRedis(client);
  expect(redisAddress('redis://host')).toBe('host:6379');
});

test('the wait ends when the process is asked to stop', async () => {
  const url = 'redis://127.0.0.1:1';
  const client = openClient(url);
  const stop = new AbortController();
  const wait = waitForRedis(client, { url, timeoutMs: 60_000, logger, signal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  await expect(wait).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  await closeRedis(client);
});
